from nas import Nas


def test_a_share_that_was_never_asked_for(tape):
    nas = Nas(tape.url)
    nas.call("SVC.Core.Network", 1, "get")
    nas.call("SVC.Core.Share", 1, "get", name="nobody")
