package tapedeck

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

const (
	page  = 1000 // entries; the most that GET /journal gives
	kept  = 2000 // entries that a report looks back
	shown = 8    // requests and problems of a report
)

// Entry is a request in the journal (docs/control-api.md).
type Entry struct {
	Number  int    `json:"number"`
	Outcome string `json:"outcome"`
	Status  int    `json:"status"`
	Key     string `json:"key"`
	API     string `json:"api"`
	Version string `json:"version"`
	Method  string `json:"method"`
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
}

// Overlay is a response in place of a recorded one, with the members of a file's block (docs/mocking.md).
type Overlay map[string]any

// Tape is the recording for one test.
type Tape struct {
	URL       string      // base URL for this test's client: that of the server with the scope's segment
	ServerURL string      // the server's own, for clients that send Header
	Header    http.Header // names the scope
	Scope     string      // with its run, as the journal spells it
	Run       int         // 1 for the first run of the scope
	name      string
	control   control
	overlays  []Overlay
}

// Test returns a recording for this test alone. When called again for the same test, it returns the next run.
func (s *Server) Test(t testing.TB) *Tape {
	t.Helper()
	tape := &Tape{ServerURL: s.URL, control: s.control, name: scopeOf(t.Name())}
	var answer struct{ Run int }
	if err := s.control.post("/scope/runs", map[string]any{"name": spelled(tape.name, 1)}, &answer); err != nil {
		t.Fatal(err)
	}
	tape.Run = answer.Run
	tape.Scope = spelled(tape.name, tape.Run)
	tape.URL = s.URL + segment(tape.name, tape.Run)
	tape.Header = http.Header{"X-Tapedeck-Scope": {inHeader(tape.name, tape.Run)}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("\n" + tape.Report())
		}
		if err := tape.finish(!t.Failed()); err != nil {
			t.Error(err)
		}
	})
	return tape
}

// Requests returns the journal's entries of this scope, in order.
func (t *Tape) Requests() ([]Entry, error) {
	var head struct{ Total, Oldest int }
	if err := t.control.get("/journal", url.Values{"limit": {"1"}}, &head); err != nil {
		return nil, err
	}
	var entries []Entry
	from := head.Oldest
	if head.Total-kept > from {
		from = head.Total - kept
	}
	for from < 1 || from <= head.Total {
		if from < 1 {
			from = 1
		}
		var found struct {
			Entries []Entry
			Next    int
		}
		parameters := url.Values{"scope": {t.Scope}, "from": {strconv.Itoa(from)}, "limit": {strconv.Itoa(page)}}
		if err := t.control.get("/journal", parameters, &found); err != nil {
			return nil, err
		}
		entries = append(entries, found.Entries...)
		if found.Next <= from {
			break
		}
		from = found.Next
	}
	return entries, nil
}

// Misses returns the requests without a recording or another response.
func (t *Tape) Misses() ([]Entry, error) {
	entries, err := t.Requests()
	var misses []Entry
	for _, entry := range entries {
		if entry.Outcome == "miss" {
			misses = append(misses, entry)
		}
	}
	return misses, err
}

func matchOf(call string) map[string]any {
	parts := strings.Split(call, "/")
	match := map[string]any{"api": parts[0]}
	if len(parts) > 2 {
		match["version"] = parts[1]
	}
	if len(parts) > 1 {
		match["method"] = parts[len(parts)-1]
	}
	return match
}

// AssertCalled fails the test unless the call ("Core.Network/get", "Core.Network/1/get") was made exactly `times`.
func (t *Tape) AssertCalled(test testing.TB, call string, times int) {
	test.Helper()
	match := matchOf(call)
	match["scope"] = t.Scope
	var answer struct {
		Holds bool
		Count int
	}
	if err := t.control.post("/assert", map[string]any{"match": match, "count": times}, &answer); err != nil {
		test.Fatal(err)
	}
	if !answer.Holds {
		test.Errorf("%s was called %d times, expected %d", call, answer.Count, times)
	}
}

// Overlay adds overlays for this test alone. Those of a later call take precedence over those of an earlier one.
func (t *Tape) Overlay(rules ...Overlay) error {
	overlays := append(append([]Overlay{}, rules...), t.overlays...)
	body := map[string]any{"set": t.set(), "scope": spelled(t.name, 1), "overlays": overlays}
	if err := t.control.post("/overlays", body, nil); err != nil {
		return err
	}
	t.overlays = overlays
	return nil
}

// Fault breaks the responses to a call, or to every call if it is empty: "reset", "close", "cut", "hang", "garbage" or
// "empty".
func (t *Tape) Fault(kind, call string) error {
	if call == "" {
		call = "*/*/*"
	}
	return t.Overlay(Overlay{"call": call, "fault": kind})
}

// ClearOverlays removes the overlays that Overlay and Fault added.
func (t *Tape) ClearOverlays() error {
	if len(t.overlays) == 0 {
		return nil
	}
	t.overlays = nil
	return t.control.post("/overlays/delete", map[string]any{"set": t.set()}, nil)
}

// Port opens a port for this test, for clients that accept only host and port, and returns its URL. It closes with the
// test.
func (t *Tape) Port() (string, error) {
	var answer struct{ URL string }
	err := t.control.post("/scope", map[string]any{"name": t.Scope, "listen": "127.0.0.1:0"}, &answer)
	return answer.URL, err
}

func (t *Tape) set() string { return "test " + t.Scope }

// finish reports the test's result. The recording of a failed test is not kept.
func (t *Tape) finish(ok bool) error {
	if err := t.ClearOverlays(); err != nil {
		return err
	}
	return t.control.post("/scope/result", map[string]any{"name": t.Scope, "ok": ok}, nil)
}

func (e Entry) isProblem() bool {
	switch e.Outcome {
	case "miss", "fallback", "refused", "broken", "withheld", "not recorded":
		return true
	}
	return e.Status == http.StatusForbidden || e.Status == http.StatusBadGateway || e.Reason != ""
}

func (e Entry) line() string {
	code := ""
	if e.Code != 0 {
		code = fmt.Sprintf(" code %d", e.Code)
	}
	return fmt.Sprintf("  %-8s %d%s %s", e.Outcome, e.Status, code, e.Key)
}

// hint returns a remedy for a problem.
func (t *Tape) hint(e Entry) string {
	var request struct{ Hint string }
	_ = t.control.get("/requests/"+strconv.Itoa(e.Number), nil, &request) // it may be kept no longer
	return request.Hint
}

func last(entries []Entry) []Entry {
	if len(entries) > shown {
		return entries[len(entries)-shown:]
	}
	return entries
}

// Report returns the log of a failing test: the problems of its requests, remedies, and its last requests.
func (t *Tape) Report() string {
	entries, err := t.Requests()
	if err != nil {
		return "tapedeck: no report: " + err.Error()
	}
	var problems []Entry
	misses := 0
	for _, entry := range entries {
		if entry.isProblem() {
			problems = append(problems, entry)
		}
		if entry.Outcome == "miss" {
			misses++
		}
	}
	lines := []string{fmt.Sprintf("Tapedeck: requests in the scope %q: %d, misses: %d", t.Scope, len(entries), misses)}
	if len(problems) > 0 {
		lines = append(lines, "problems:")
	}
	for _, entry := range last(problems) {
		lines = append(lines, entry.line())
		for _, text := range []string{entry.Reason, t.hint(entry)} {
			if text != "" {
				lines = append(lines, "      "+text)
			}
		}
	}
	if len(entries) > 0 {
		lines = append(lines, "last requests:")
	}
	for _, entry := range last(entries) {
		lines = append(lines, entry.line())
	}
	return strings.Join(lines, "\n")
}
