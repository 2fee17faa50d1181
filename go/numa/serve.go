package numa

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sort"
)

// Target is what every target can do: say who it is.
type Target interface {
	Describe() Identity
}

// Identity is what a target says of itself. Surfaces and the features that follow from its methods are found by Serve;
// Features are those that no method shows.
type Identity struct {
	Name, Version string
	// KubernetesVersion is the minor whose behaviour the target follows ("1.34"); empty: the suite's default.
	KubernetesVersion string
	Features          []string
	// WantsHostRoot: each question that tells a machine has HostRoot too, the machine as a tree of /sys and /proc.
	WantsHostRoot bool
}

// Codes of errors, as JSON-RPC 2.0 has them.
const (
	CodeNotJSON        = -32700
	CodeInvalidRequest = -32600
	CodeNotClaimed     = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	// CodeUnsupported says that the machine of the question is outside of what the target supports.
	CodeUnsupported = -32001
)

// Error says that the target could not answer, and why. Any other error is told with CodeInternal.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// NotClaimed returns the error of a question that the target does not claim to answer.
func NotClaimed(what string) error { return &Error{CodeNotClaimed, what + " is not claimed"} }

// Unsupported returns the error of a question about a machine that is outside of what the target supports, and why: one
// line for a person, without ids, so that many machines share a reason. It is told in the report, and is no failure.
func Unsupported(reason string) error { return &Error{CodeUnsupported, reason} }

// Serve answers on standard input and output until it is told to end. What the target prints while it is asked goes to
// standard error: standard output belongs to the protocol.
func Serve(target Target) {
	replies := os.Stdout
	os.Stdout = os.Stderr
	if err := ServeOn(target, os.Stdin, replies); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ServeOn answers the questions of in on out, one JSON-RPC 2.0 message a line. It returns nil at the end of in or when
// it is told to shut down.
func ServeOn(target Target, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	replies := json.NewEncoder(out)
	replies.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			reply, ended := answer(target, line)
			if ended {
				return nil
			}
			if err := replies.Encode(reply); err != nil {
				return fmt.Errorf("the reply could not be written: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the next question could not be read: %w", err)
		}
	}
}

type question struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// answer answers one line; ended is true when it was the request to shut down.
func answer(target Target, line []byte) (_ reply, ended bool) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return reply{Version: "2.0", Error: &Error{CodeNotJSON, "not JSON: " + err.Error()}}, false
	}
	if asked.Version != "2.0" || asked.Method == "" {
		return reply{Version: "2.0", ID: asked.ID, Error: &Error{CodeInvalidRequest, "not a JSON-RPC 2.0 request"}}, false
	}
	if asked.Method == "shutdown" {
		return reply{}, true
	}
	result, err := result(target, asked)
	if err == nil {
		return reply{Version: "2.0", ID: asked.ID, Result: result}, false
	}
	var told *Error
	if !errors.As(err, &told) {
		told = &Error{CodeInternal, err.Error()}
	}
	return reply{Version: "2.0", ID: asked.ID, Error: told}, false
}

// result asks the target; a panic becomes an error, and its stack goes to standard error.
func result(target Target, asked question) (_ []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			fmt.Fprintf(os.Stderr, "panic in %s: %v\n%s", asked.Method, cause, debug.Stack())
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	if asked.Method == "describe" {
		return json.Marshal(describe(target))
	}
	for _, one := range methods {
		if one.name == asked.Method && one.of(target) {
			answered, err := one.call(target, asked.Params)
			if err != nil {
				return nil, err
			}
			return json.Marshal(answered)
		}
	}
	return nil, NotClaimed("method " + asked.Method)
}

// describe returns what the target claims: what it says, and what its methods show.
func describe(target Target) Description {
	identity := target.Describe()
	surfaces, features := map[string]bool{}, map[string]bool{}
	for _, name := range identity.Features {
		features[name] = true
	}
	for _, one := range methods {
		if one.of(target) {
			surfaces[one.surface] = true
			for _, name := range one.features {
				features[name] = true
			}
		}
	}
	var wants []string
	if identity.WantsHostRoot {
		wants = append(wants, "host_root")
	}
	return Description{
		Name: identity.Name, Version: identity.Version, Protocol: Protocol,
		Surfaces: names(surfaces), Features: names(features), KubernetesVersion: identity.KubernetesVersion,
		Wants: wants,
	}
}

func names(set map[string]bool) []string {
	found := make([]string, 0, len(set))
	for name := range set {
		found = append(found, name)
	}
	sort.Strings(found)
	return found
}

// method is one method of the protocol: the features that having it claims, whether a target has it, and how to ask it.
type method struct {
	name, surface string
	features      []string
	asker
}

type asker struct {
	of   func(Target) bool
	call func(Target, json.RawMessage) (any, error)
}

// call makes a method of an interface one that can be asked in the words of the protocol.
func call[T, Q, A any](ask func(T, Q) (A, error)) asker {
	return asker{
		of: func(target Target) bool { _, found := target.(T); return found },
		call: func(target Target, params json.RawMessage) (any, error) {
			var asked Q
			if len(params) > 0 {
				decoder := json.NewDecoder(bytes.NewReader(params))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(&asked); err != nil {
					return nil, &Error{CodeInvalidParams, "params: " + err.Error()}
				}
			}
			return ask(target.(T), asked)
		},
	}
}
