package tapedeck

import (
	"strings"
	"testing"
)

func TestScopeNames(t *testing.T) {
	long := strings.Repeat("ü", 501)
	for _, row := range []struct{ id, name, header string }{
		{"100 %; #1", "100 %; #1", "100%20%25%3B%20%231#2"},
		{"TestA/b+c", "TestA/b+c", "TestA%2Fb%2Bc#2"},
		{"a\nb", "a b~7e18f737311b2dc3", ""},
		{strings.Repeat("ü", 500), strings.Repeat("ü", 500), ""},
	} {
		name := scopeName(row.id)
		if name != row.name {
			t.Errorf("%q: %q", row.id, name)
		}
		if row.header != "" && inHeader(name, 2) != row.header {
			t.Errorf("%q: %q", row.id, inHeader(name, 2))
		}
	}
	if name := scopeName(long); !strings.HasPrefix(name, strings.Repeat("ü", 180)+"~") || len(name) != 360+17 {
		t.Errorf("%q", name)
	}
	if text := spelled("100 %; #1", 1); text != "100 %25%3B %231" {
		t.Error(text)
	}
	if text := segment("a b", 2); text != "/~scope/a%20b;2" {
		t.Error(text)
	}
}

func TestOptions(t *testing.T) {
	for _, row := range []struct {
		options Options
		line    string
	}{
		{Options{Cassettes: []string{"a", "b"}}, "replay --exit-with-stdin a b"},
		{Options{Record: "all", Device: "http://d", Cassettes: []string{"a"}}, "record --device http://d --exit-with-stdin a"},
		{Options{Record: "new", Device: "http://d", Cassettes: []string{"a"}, Rerecord: []string{"x*"}, Overlays: []string{"o"}, Args: []string{"--insecure"}},
			"record --device http://d --mode new --exit-with-stdin --overlay o --rerecord x* --insecure a"},
		{Options{Record: "new", Cassettes: []string{"a"}}, ""},
		{Options{Record: "all", Device: "http://d"}, ""},
		{Options{Record: "some"}, ""},
	} {
		words, err := row.options.arguments()
		if line := strings.Join(words, " "); line != row.line || (err == nil) != (row.line != "") {
			t.Errorf("%+v: %q, %v", row.options, line, err)
		}
	}
}
