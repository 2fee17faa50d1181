package numa

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// picker answers pick alone; it panics where nothing is asked for.
type picker struct{}

func (picker) Describe() Identity {
	return Identity{Name: "picker", Version: "1", Features: []string{FeatureCPUManagerStatic}}
}

func (picker) Pick(asked Pick) (PickReply, error) {
	switch asked.Count {
	case 0:
		panic("nothing asked for")
	case 1:
		return Picked{CPUs: asked.Available}, nil
	case 2:
		return nil, errors.New("no answer")
	case 4:
		return nil, Unsupported("a machine of no CPUs")
	}
	return PickRefused{Message: "too many"}, nil
}

// noder has the surface node, and survives restarts.
type noder struct{ picker }

func (noder) NodeStart(StartNode) (NodeStartReply, error)   { return NodeStarted{}, nil }
func (noder) NodeAdmit(AdmitPod) (NodeAdmitReply, error)    { return Admitted{}, nil }
func (noder) NodeRun(RunPod) (NodeRunReply, error)          { return PodStarted{}, nil }
func (noder) NodeRemove(RemovePod) (NodeRemoveReply, error) { return Removed{}, nil }
func (noder) NodeState(ReadState) (NodeState, error)        { return NodeState{}, nil }
func (noder) NodeRestart(RestartNode) (NodeRestartReply, error) {
	return Restarted{Pods: []PodAfterRestart{ReadmittedPod{UID: "a"}}}, nil
}

func ask(t *testing.T, target Target, lines ...string) []string {
	t.Helper()
	var told strings.Builder
	if err := ServeOn(target, strings.NewReader(strings.Join(lines, "\n")), &told); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(told.String(), "\n"), "\n")
}

func pick(count string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"pick","params":{"machine":{},"available":"0-3","count":` + count + `}}`
}

func TestAnswers(t *testing.T) {
	for asked, told := range map[string]string{
		pick("1"):   `{"jsonrpc":"2.0","id":7,"result":{"result":"picked","cpus":"0-3"}}`,
		pick("3"):   `{"jsonrpc":"2.0","id":7,"result":{"result":"refused","message":"too many"}}`,
		pick("2"):   `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no answer"}}`,
		pick("0"):   `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"panic: nothing asked for"}}`,
		pick(`"1"`): `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"params: json: cannot unmarshal string into Go struct field Pick.count of type int"}}`,
		pick("4"):   `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"a machine of no CPUs"}}`,
		`{`:         `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: unexpected end of JSON input"}}`,
		`{"id":1}`:  `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"not a JSON-RPC 2.0 request"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"merge"}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method merge is not claimed"}}`,
	} {
		if got := ask(t, picker{}, asked); got[0] != told {
			t.Errorf("asked %s\n got %s\nwant %s", asked, got[0], told)
		}
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	got := ask(t, picker{}, `{"jsonrpc":"2.0","id":1,"method":"pick","params":{"cpu":1}}`)
	if !strings.Contains(got[0], `unknown field \"cpu\"`) {
		t.Error(got[0])
	}
}

func TestClaimsFollowFromMethods(t *testing.T) {
	told := describe(noder{})
	if want := []string{"node", "pick"}; !reflect.DeepEqual(told.Surfaces, want) {
		t.Errorf("surfaces %v, want %v", told.Surfaces, want)
	}
	if want := []string{FeatureCPUManagerStatic, FeatureNodeRestart}; !reflect.DeepEqual(told.Features, want) {
		t.Errorf("features %v, want %v", told.Features, want)
	}
}

func TestRequiredListsAreNeverNull(t *testing.T) {
	got := ask(t, noder{}, `{"jsonrpc":"2.0","id":1,"method":"node.restart","params":{}}`)
	want := `{"jsonrpc":"2.0","id":1,"result":{"result":"restarted","pods":[{"result":"admitted","uid":"a","containers":{}}],` +
		`"default_cpuset":"","memory_state":null,"updates":null}}`
	if got[0] != want {
		t.Errorf("got %s\nwant %s", got[0], want)
	}
}

func TestShutdownEnds(t *testing.T) {
	if got := ask(t, picker{}, `{"jsonrpc":"2.0","method":"shutdown"}`, pick("1")); got[0] != "" {
		t.Error(got)
	}
}
