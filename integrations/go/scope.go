package tapedeck

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

const (
	mostBytes = 1000
	shortened = 180 // characters
)

// scopeOf returns the name of a test's scope: its package relative to the module's go.mod, and the test's name.
func scopeOf(test string) string {
	return scopeName(packagePath() + test)
}

// packagePath returns the path of the folder in which `go test` runs a package's tests: "client > "; empty for the
// module's own.
func packagePath() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	for root := folder; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			path, err := filepath.Rel(root, folder)
			if err != nil || path == "." {
				return ""
			}
			return filepath.ToSlash(path) + " > "
		}
		if root == filepath.Dir(root) {
			return ""
		}
	}
}

// scopeName shortens a name that is too long for a scope or has control characters, and appends 16 hex digits of its
// SHA-256.
func scopeName(id string) string {
	text := strings.ToValidUTF8(id, "\uFFFD")
	if len(text) <= mostBytes && strings.IndexFunc(text, unicode.IsControl) < 0 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	plain := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
	if len(plain) > shortened {
		plain = plain[:shortened]
	}
	return fmt.Sprintf("%s~%x", string(plain), sum[:8])
}

// spelled returns the name as in JSON and in the journal.
func spelled(name string, run int) string {
	text := strings.NewReplacer("%", "%25", "#", "%23", ";", "%3B").Replace(name)
	if run > 1 {
		text += fmt.Sprintf("#%d", run)
	}
	return text
}

func escaped(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "+", "%20") }

// inHeader returns the name as in the header.
func inHeader(name string, run int) string {
	if run > 1 {
		return fmt.Sprintf("%s#%d", escaped(name), run)
	}
	return escaped(name)
}

// segment returns the name as the first segment of a path.
func segment(name string, run int) string {
	if run > 1 {
		return fmt.Sprintf("/~scope/%s;%d", escaped(name), run)
	}
	return "/~scope/" + escaped(name)
}
