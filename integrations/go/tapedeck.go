// Package tapedeck runs tests against a recording of a storage device, without the device.
//
// It starts the program tapedeck, gives each test its own base URL, and reports the requests of a failing test:
//
//	func TestMain(m *testing.M) {
//		os.Exit(tapedeck.Main(m, tapedeck.Options{Cassettes: []string{"testdata/nas.cassette"}}))
//	}
//
//	func TestName(t *testing.T) {
//		tape := tapedeck.For(t)
//		client := nas.New(tape.URL)
//		...
//	}
package tapedeck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 20 * time.Second // for the program to come up and to end

// Options define what a server replays or records.
type Options struct {
	Cassettes []string // searched in this order; none: built-in responses
	Overlays  []string // overlay files, laid over the recording
	Record    string   // "", or "none": replay; "all", "new", "once": record from Device
	Device    string   // the device's URL
	Rerecord  []string // with "new": scopes to record again; * stands for any text
	Args      []string // more options of `tapedeck replay` or `tapedeck record`
	Program   string   // without it TAPEDECK_BIN, or `tapedeck` in PATH
}

// Server is a running program, or the server of `tapedeck exec`.
type Server struct {
	URL     string // of the server itself; tests use that of their Tape
	control control
	command *exec.Cmd
	input   io.Closer // ends the program when this process ends, however that happens
	output  output
	ended   chan struct{}
	folder  string
}

// output stores the program's output, and shows each warning once.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
	rest  string
	shown map[string]bool
}

var warning = regexp.MustCompile(`^\S+Z (?:warning|error|critical) +(.*)$`)

func (o *output) Write(more []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.text.Write(more)
	lines := strings.Split(o.rest+string(more), "\n")
	o.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		if found := warning.FindStringSubmatch(line); found != nil && !o.shown[found[1]] {
			o.shown[found[1]] = true
			fmt.Fprintf(os.Stderr, "[tapedeck] %s\n", found[1])
		}
	}
	return len(more), nil
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return strings.TrimSpace(o.text.String())
}

func (o Options) arguments() ([]string, error) {
	words := []string{"replay"}
	switch o.Record {
	case "", "none":
	case "all", "new", "once":
		if o.Device == "" || len(o.Cassettes) != 1 {
			return nil, fmt.Errorf("tapedeck: Record %q requires Device and exactly one cassette", o.Record)
		}
		words = []string{"record", "--device", o.Device}
		if o.Record != "all" {
			words = append(words, "--mode", o.Record)
		}
	default:
		return nil, fmt.Errorf("tapedeck: Record must be none, all, new, or once, not %q", o.Record)
	}
	words = append(words, "--exit-with-stdin")
	for _, file := range o.Overlays {
		words = append(words, "--overlay", file)
	}
	for _, name := range o.Rerecord {
		words = append(words, "--rerecord", name)
	}
	return append(append(words, o.Args...), o.Cassettes...), nil
}

func (o Options) program() (string, error) {
	for _, program := range []string{o.Program, os.Getenv("TAPEDECK_BIN")} {
		if program != "" {
			return program, nil
		}
	}
	program, err := exec.LookPath("tapedeck")
	if err != nil {
		return "", errors.New("tapedeck: cannot find the tapedeck program: it is not in PATH, and TAPEDECK_BIN is not set")
	}
	return program, nil
}

// Start starts the program and returns once it accepts requests. Under `tapedeck exec` it returns that server,
// regardless of the options, so that one run can be repeated with other cassettes.
func Start(options Options) (*Server, error) {
	url, address, token := os.Getenv("TAPEDECK_URL"), os.Getenv("TAPEDECK_CONTROL_URL"), os.Getenv("TAPEDECK_TOKEN")
	if url != "" && address != "" && token != "" {
		return &Server{URL: url, control: control{address, token}}, nil
	}
	program, err := options.program()
	if err != nil {
		return nil, err
	}
	arguments, err := options.arguments()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "tapedeck-")
	if err != nil {
		return nil, err
	}
	server := &Server{folder: folder, ended: make(chan struct{})}
	ready := filepath.Join(folder, "ready")
	if err := server.run(program, append(arguments, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--ready-file", ready)); err == nil {
		err = server.wait(ready)
	}
	if server.URL == "" {
		_ = server.Stop()
		return nil, fmt.Errorf("tapedeck did not start: %s", strings.TrimPrefix(server.output.String(), "tapedeck: "))
	}
	return server, nil
}

func (s *Server) run(program string, arguments []string) error {
	s.output.shown = map[string]bool{}
	s.command = exec.Command(program, arguments...)
	s.command.Stdout, s.command.Stderr = &s.output, &s.output
	input, err := s.command.StdinPipe()
	if err == nil {
		err = s.command.Start()
	}
	if err != nil {
		close(s.ended)
		fmt.Fprintln(&s.output, err)
		return err
	}
	s.input = input
	go func() {
		_ = s.command.Wait()
		close(s.ended)
	}()
	return nil
}

// wait reads the ready file: the URL, then lines of name=value.
func (s *Server) wait(ready string) error {
	late := time.After(patience)
	for {
		text, _ := os.ReadFile(ready)
		if strings.HasSuffix(string(text), "\n") {
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			values := map[string]string{}
			for _, line := range lines[1:] {
				name, value, _ := strings.Cut(line, "=")
				values[name] = value
			}
			s.URL, s.control = lines[0], control{values["control"], values["token"]}
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("ended")
		case <-late:
			return errors.New("late")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop ends the program unless `tapedeck exec` started it. A recording is finished then. It returns an error, with the
// program's output, if the exit status is not 0.
func (s *Server) Stop() error {
	if s.command == nil {
		return nil
	}
	defer os.RemoveAll(s.folder)
	if s.command.Process != nil {
		_ = s.command.Process.Signal(os.Interrupt)
		select {
		case <-s.ended:
		case <-time.After(patience):
			_ = s.command.Process.Kill()
			<-s.ended
		}
	}
	if state := s.command.ProcessState; state == nil || !state.Success() {
		return fmt.Errorf("tapedeck ended with %v: %s", state, s.output.String())
	}
	return nil
}

var shared *Server

// Main runs the tests of a package with one server, for TestMain; the result is for os.Exit.
func Main(m *testing.M, options Options) int {
	server, err := Start(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	shared = server
	status := m.Run()
	if err := server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if status == 0 {
			status = 1
		}
	}
	return status
}

// For returns a recording for this test alone, replayed by the server of Main. A failing test logs its misses and last
// requests.
func For(t testing.TB) *Tape {
	t.Helper()
	if shared == nil {
		t.Fatal("tapedeck: For requires a call of tapedeck.Main in TestMain")
	}
	return shared.Test(t)
}
