//! A shim between your allocator and numa-conformance, over stdio: one JSON-RPC 2.0 message a line, in and out.
//!
//! It claims policy none, which gives no exclusive CPUs. Next: ask your allocator in `admit`, add "cpu-manager/static" to
//! the features, and read what the suite says. An allocator that only chooses CPUs answers "pick" in place of "node.*".
//! Every message, with an example: `numa-conformance schema examples`.

use serde_json::{json, Map, Value};
use std::io::{self, BufRead, Write};

/// Pod uid to container to what it holds.
type Pods = Map<String, Value>;

/// Says who this is and what it claims; only that is tested.
fn describe() -> Value {
    json!({"name": "my-allocator", "version": "0.1.0", "protocol": "2", "surfaces": ["node"],
           "features": ["cpu-manager/none"]})
}

/// Comes up on `params["machine"]`, under the KubeletConfiguration `params["kubelet"]`. Sets are texts: "0-3,8".
fn start(pods: &mut Pods, _params: &Value) -> Value {
    pods.clear();
    json!({"result": "started", "default_cpuset": ""})
}

/// Places `params["pod"]`, a v1 Pod, or refuses it: `{"result": "rejected", "reason": ..., "message": ...}`.
fn admit(pods: &mut Pods, params: &Value) -> Value {
    let pod = &params["pod"];
    let mut held = Map::new();
    for list in ["initContainers", "containers"] {
        for one in pod["spec"][list].as_array().into_iter().flatten() {
            held.insert(text(&one["name"]), json!({"cpus": ""}));
        }
    }
    pods.insert(text(&pod["metadata"]["uid"]), Value::Object(held.clone()));
    json!({"result": "admitted", "default_cpuset": "", "containers": held})
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Answers one message; None says that a method is not there.
fn answer(pods: &mut Pods, method: &str, params: &Value) -> Option<Value> {
    let uid = text(&params["uid"]);
    Some(match method {
        "describe" => describe(),
        "node.start" => start(pods, params),
        "node.admit" => admit(pods, params),
        // A pod that was refused is not here.
        "node.run" => match pods.get(&uid) {
            Some(held) => json!({"result": "started", "default_cpuset": "", "containers": held}),
            None => json!({"result": "unknown", "default_cpuset": ""}),
        },
        "node.remove" => {
            pods.remove(&uid);
            json!({"result": "removed", "default_cpuset": ""})
        }
        "node.state" => json!({"default_cpuset": "", "containers": pods}),
        _ => return None,
    })
}

fn main() -> io::Result<()> {
    let mut pods = Pods::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let method = text(&message["method"]);
        if method == "shutdown" {
            break;
        }
        let mut reply = json!({"jsonrpc": "2.0", "id": message["id"]});
        match answer(&mut pods, &method, &message["params"]) {
            Some(result) => reply["result"] = result,
            None => reply["error"] = json!({"code": -32601, "message": format!("no method {method}")}),
        }
        writeln!(out, "{reply}")?;
        out.flush()?;
    }
    Ok(())
}
