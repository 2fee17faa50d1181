// Package reference asks the reference over stdio, for hooks in the packages of Kubernetes.
package reference

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Command holds, as a list in JSON, the program that answers. Without it nothing is asked.
const Command = "NUMA_UPSTREAM_REFERENCE"

// Record names the file that every question is noted in, one JSON object a line.
const Record = "NUMA_UPSTREAM_RECORD"

// Question is one question, by the protocol's name of its method, or by that of an entry of answering.py.
type Question struct {
	Method string
	Params any
}

// Ask lets the reference answer into reply. It is false where the question cannot be put: Kubernetes' own code is to
// answer then. What was decided, and why not, is noted. In may be any name of a function.
func Ask(in string, question Question, reply any) bool {
	return put(in, func() error { return program().call(question, reply) })
}

// Unsaid notes that a question cannot be put at all.
func Unsaid(in, why string) { put(in, func() error { return errors.New(why) }) }

func put(in string, call func() error) bool {
	if os.Getenv(Command) == "" {
		return false
	}
	lock.Lock()
	defer lock.Unlock()
	err := call()
	noted := map[string]string{"in": in}
	if err != nil {
		noted["unsaid"] = err.Error()
	}
	note(noted)
	return err == nil
}

var (
	lock sync.Mutex
	one  *process
)

type process struct {
	in  io.Writer
	out *bufio.Reader
}

func program() *process {
	if one != nil {
		return one
	}
	var words []string
	must(json.Unmarshal([]byte(os.Getenv(Command)), &words))
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	must(err)
	out, err := command.StdoutPipe()
	must(err)
	must(command.Start())
	one = &process{in, bufio.NewReader(out)}
	return one
}

func (p *process) call(question Question, reply any) error {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": question.Method, "params": question.Params,
	})
	must(err)
	_, err = p.in.Write(append(line, '\n'))
	must(err)
	answer, err := p.out.ReadBytes('\n')
	must(err)
	var told struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	must(json.Unmarshal(answer, &told))
	if told.Error != nil {
		return errors.New(told.Error.Message)
	}
	must(json.Unmarshal(told.Result, reply))
	return nil
}

func note(noted map[string]string) {
	line, err := json.Marshal(noted)
	must(err)
	file, err := os.OpenFile(os.Getenv(Record), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(err)
	defer file.Close()
	_, err = file.Write(append(line, '\n'))
	must(err)
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("the reference: %v", err))
	}
}
