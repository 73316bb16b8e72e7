import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from nas import Nas


@pytest.fixture
def nas(tape):
    client = Nas(tape.url)
    client.log_in()
    return client


def test_the_device_tells_its_name(nas, tape):
    assert nas.call("SVC.Core.System.SystemHealth", 1, "get")["hostname"] == "attic"
    tape.assert_called("Core.System.SystemHealth/get", count=1)


def test_an_error_is_laid_over_the_recording_for_this_test_alone(nas, tape):
    for code in (117, 105):  # the later one goes before
        tape.overlay(call="Core.Share/1/list", error=code)
    with pytest.raises(RuntimeError, match="error 105"):
        nas.call("SVC.Core.Share", 1, "list")
    tape.fault("close", call="Core.Network/*/get")
    with pytest.raises(OSError):
        nas.call("SVC.Core.Network", 1, "get")
    tape.clear_overlays()
    assert nas.call("SVC.Core.Share", 1, "list")["shares"]


def test_a_setting_that_is_saved_can_be_read_back(nas, tape):
    tape.effects({"on": "Core.SNMP/*/set", "change": [{"in": "Core.SNMP/*/get", "merge": "params"}]})
    nas.call("SVC.Core.SNMP", 1, "set", location="cellar")
    assert nas.call("SVC.Core.SNMP", 1, "get")["location"] == "cellar"
    tape.clear_overlays()
    assert nas.call("SVC.Core.SNMP", 1, "get")["location"] == "attic"


def test_the_clock_is_the_recorded_one_and_never_goes_back(nas, tape):
    before = tape.clock
    nas.call("SVC.Core.System.SystemHealth", 1, "get")
    assert before.tzinfo is not None and before <= tape.clock


def test_a_response_is_held_until_the_test_lets_it_go(nas, tape):
    held = tape.hold("Core.Share/list")
    with ThreadPoolExecutor() as pool:
        listed = pool.submit(nas.call, "SVC.Core.Share", 1, "list")
        time.sleep(0.2)
        assert not listed.done()
        assert held.release(error=105) == 1
        with pytest.raises(RuntimeError, match="error 105"):
            listed.result()
    assert nas.call("SVC.Core.Share", 1, "list")["shares"]


@pytest.mark.parametrize("way", ["100 %", "#1; done", "a/b", "Grüße"])
def test_a_scan_is_polled_to_its_end(nas, tape, way):
    nas.call("SVC.Core.SecurityScan.Operation", 1, "start", items='"ALL"')
    seen = [nas.call("SVC.Core.SecurityScan.Status", 1, "system_get")["sysProgress"] for _ in range(3)]
    assert seen[-1] == 100
    assert tape.misses() == []


@pytest.mark.parametrize("number", range(4))
@pytest.mark.xdist_group("all the same")
def test_each_test_begins_at_the_first_answer(nas, tape, number):
    assert "@" not in tape.scope  # the same name with and without pytest-xdist
    times = [nas.call("SVC.Core.System.Utilization", 1, "get")["time"] for _ in range(3)]
    assert times == [1760000000, 1760000005, 1760000010]


tries = 0


def test_one_that_is_tried_again_does_too(nas, tape):
    global tries
    tries += 1
    assert tape.run == tries
    assert nas.call("SVC.Core.System.Utilization", 1, "get")["time"] == 1760000000
    if tape.run == 1:
        pytest.fail("once more")
