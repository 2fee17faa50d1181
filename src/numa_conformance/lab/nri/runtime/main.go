// The container runtime's side of NRI, without a runtime: what a runtime would tell plugins is read from standard input,
// one JSON object a line, and what they answer is written to standard output in the same way.
//
//	nri-runtime SOCKET FOLDER
//
// A request is {"call": "CreateContainer", "with": {...}}, where "with" is the message of NRI's interface in protobuf's
// JSON; an answer is {"answer": {...}} or {"error": "..."}. {"call": "Listen", "with": {"pods": [], "containers": []}}
// opens the socket; plugins that register are told of these. A later request may bring such a message as "known": of it
// are told those that register after the request. What plugins do unasked is told by lines of their own:
// {"registered": true}, or with an error, and {"updates": [...]}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

const longestLine = 64 << 20

type request struct {
	Call  string          `json:"call"`
	With  json.RawMessage `json:"with"`
	Known json.RawMessage `json:"known"`
}

type runtime struct {
	socket, folder string
	nri            *adaptation.Adaptation
	known          api.SynchronizeRequest
	out            sync.Mutex
}

func (r *runtime) write(line map[string]any) {
	r.out.Lock()
	defer r.out.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		os.Exit(1) // nobody listens any more
	}
}

func inJSON(message proto.Message) json.RawMessage {
	text, err := protojson.Marshal(message)
	if err != nil {
		panic(err)
	}
	return text
}

func updatesInJSON(updates []*api.ContainerUpdate) []json.RawMessage {
	texts := []json.RawMessage{}
	for _, update := range updates {
		texts = append(texts, inJSON(update))
	}
	return texts
}

// synchronize is called for each plugin that registers.
func (r *runtime) synchronize(ctx context.Context, tell adaptation.SyncCB) error {
	updates, err := tell(ctx, r.known.Pods, r.known.Containers)
	if err != nil {
		r.write(map[string]any{"registered": false, "error": err.Error()})
		return err
	}
	if r.nri != nil { // it is called once before, for the plugins of a folder, of which there are none
		r.write(map[string]any{"registered": true, "updates": updatesInJSON(updates)})
	}
	return nil
}

// update is called where a plugin changes containers unasked.
func (r *runtime) update(_ context.Context, updates []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
	r.write(map[string]any{"updates": updatesInJSON(updates)})
	return nil, nil
}

func (r *runtime) listen(with json.RawMessage) error {
	if err := protojson.Unmarshal(with, &r.known); err != nil {
		return err
	}
	nri, err := adaptation.New("numa-conformance", "v2.1.0", r.synchronize, r.update, adaptation.WithSocketPath(r.socket),
		adaptation.WithPluginPath(r.folder), adaptation.WithPluginConfigPath(r.folder))
	if err != nil {
		return err
	}
	if err := nri.Start(); err != nil {
		return err
	}
	r.nri = nri
	return nil
}

// answered asks the plugins, and returns their answer; without an answer of its own a call returns nil.
func (r *runtime) answered(asked request) (proto.Message, error) {
	ctx := context.Background()
	defer r.nri.BlockPluginSync().Unblock() // a plugin that is registering now is asked too
	if asked.Known != nil {
		known := api.SynchronizeRequest{}
		if err := protojson.Unmarshal(asked.Known, &known); err != nil {
			return nil, err
		}
		r.known.Pods, r.known.Containers = known.Pods, known.Containers
	}
	switch asked.Call {
	case "RunPodSandbox":
		return none(ctx, asked, &api.RunPodSandboxRequest{}, r.nri.RunPodSandbox)
	case "CreateContainer":
		return some(ctx, asked, &api.CreateContainerRequest{}, r.nri.CreateContainer)
	case "PostCreateContainer":
		return none(ctx, asked, &api.PostCreateContainerRequest{}, r.nri.PostCreateContainer)
	case "StartContainer":
		return none(ctx, asked, &api.StartContainerRequest{}, r.nri.StartContainer)
	case "PostStartContainer":
		return none(ctx, asked, &api.PostStartContainerRequest{}, r.nri.PostStartContainer)
	case "UpdateContainer":
		return some(ctx, asked, &api.UpdateContainerRequest{}, r.nri.UpdateContainer)
	case "StopContainer":
		return some(ctx, asked, &api.StopContainerRequest{}, r.nri.StopContainer)
	case "RemoveContainer":
		return none(ctx, asked, &api.RemoveContainerRequest{}, r.nri.RemoveContainer)
	case "StopPodSandbox":
		return none(ctx, asked, &api.StopPodSandboxRequest{}, r.nri.StopPodSandbox)
	case "RemovePodSandbox":
		return none(ctx, asked, &api.RemovePodSandboxRequest{}, r.nri.RemovePodSandbox)
	}
	return nil, fmt.Errorf("there is no call %q", asked.Call)
}

func none[Q proto.Message](ctx context.Context, asked request, message Q, call func(context.Context, Q) error) (proto.Message, error) {
	if err := protojson.Unmarshal(asked.With, message); err != nil {
		return nil, err
	}
	return nil, call(ctx, message)
}

func some[Q, A proto.Message](ctx context.Context, asked request, message Q, call func(context.Context, Q) (A, error)) (proto.Message, error) {
	if err := protojson.Unmarshal(asked.With, message); err != nil {
		return nil, err
	}
	return call(ctx, message)
}

func (r *runtime) do(line []byte) error {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return err
	}
	if asked.Call == "Listen" {
		if err := r.listen(asked.With); err != nil {
			return err
		}
		r.write(map[string]any{"answer": nil})
		return nil
	}
	if r.nri == nil {
		return fmt.Errorf("Listen comes first")
	}
	answer, err := r.answered(asked)
	if err != nil {
		return err
	}
	if answer == nil {
		r.write(map[string]any{"answer": nil})
	} else {
		r.write(map[string]any{"answer": inJSON(answer)})
	}
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "nri-runtime SOCKET FOLDER")
		os.Exit(2)
	}
	r := &runtime{socket: os.Args[1], folder: os.Args[2]}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		if err := r.do(lines.Bytes()); err != nil {
			r.write(map[string]any{"error": err.Error()})
		}
	}
	if r.nri != nil {
		r.nri.Stop()
	}
}
