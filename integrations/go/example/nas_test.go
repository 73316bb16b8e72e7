package nas

import (
	"fmt"
	"os"
	"testing"

	"tapedeck.example/tapedeck"
)

func TestMain(m *testing.M) {
	os.Exit(tapedeck.Main(m, tapedeck.Options{
		Cassettes: []string{os.Getenv("NAS_CASSETTE")},
		Record:    os.Getenv("NAS_RECORD"),
		Device:    os.Getenv("NAS_DEVICE"),
	}))
}

func loggedIn(t *testing.T) (*tapedeck.Tape, *Client) {
	t.Helper()
	tape := tapedeck.For(t)
	client := &Client{Base: tape.URL}
	account, password := os.Getenv("NAS_ACCOUNT"), os.Getenv("NAS_PASSWORD")
	if account == "" {
		account, password = "robin", "made up"
	}
	if err := client.LogIn(account, password); err != nil {
		t.Fatal(err)
	}
	return tape, client
}

func TestName(t *testing.T) {
	t.Parallel()
	tape, client := loggedIn(t)
	var health struct{ Hostname string }
	if err := client.Call(&health, "SVC.Core.System.SystemHealth", 1, "get", nil); err != nil || health.Hostname != "attic" {
		t.Fatal(health, err)
	}
	tape.AssertCalled(t, "Core.System.SystemHealth/get", 1)
}

func TestEachTestBeginsAtTheFirstResponse(t *testing.T) {
	for number := 0; number < 3; number++ {
		t.Run(fmt.Sprint("number ", number), func(t *testing.T) {
			t.Parallel()
			_, client := loggedIn(t)
			for _, wanted := range []int{1760000000, 1760000005, 1760000010} {
				var load struct{ Time int }
				if err := client.Call(&load, "SVC.Core.System.Utilization", 1, "get", nil); err != nil || load.Time != wanted {
					t.Fatal(load, wanted, err)
				}
			}
		})
	}
}

func TestAnErrorIsLaidOverTheRecordingForThisTestAlone(t *testing.T) {
	t.Parallel()
	tape, client := loggedIn(t)
	for _, code := range []int{117, 105} { // the later one goes before
		if err := tape.Overlay(tapedeck.Overlay{"call": "Core.Share/1/list", "error": code}); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Call(nil, "SVC.Core.Share", 1, "list", nil); err == nil || err.Error() != "SVC.Core.Share list: error 105" {
		t.Fatal(err)
	}
	if err := tape.Fault("close", "Core.Network/*/get"); err != nil {
		t.Fatal(err)
	}
	if err := client.Call(nil, "SVC.Core.Network", 1, "get", nil); err == nil {
		t.Fatal("a closed connection has no answer")
	}
	if err := tape.ClearOverlays(); err != nil {
		t.Fatal(err)
	}
	if err := client.Call(nil, "SVC.Core.Share", 1, "list", nil); err != nil {
		t.Fatal(err)
	}
	if url, err := tape.Port(); err != nil || url == "" {
		t.Fatal(url, err)
	}
	if misses, err := tape.Misses(); err != nil || len(misses) != 0 {
		t.Fatal(misses, err)
	}
}

// tests/clients/go.sh runs this test and checks its log.
func TestAShareThatWasNeverRequested(t *testing.T) {
	if os.Getenv("NAS_FAILS") == "" {
		t.Skip("it fails on purpose")
	}
	_, client := loggedIn(t)
	if err := client.Call(nil, "SVC.Core.Share", 1, "get", map[string]string{"name": "nobody"}); err != nil {
		t.Fatal(err)
	}
}
