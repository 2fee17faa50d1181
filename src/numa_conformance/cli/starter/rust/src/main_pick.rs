//! A shim between your allocator and numa-conformance, over stdio: one JSON-RPC 2.0 message a line, in and out.
//!
//! For an allocator that only chooses CPUs. It takes the lowest ids, and the suite says why that is not enough. Next: ask
//! your allocator in `pick`, and add the options that it knows to the features.
//! Every message, with an example: `numa-conformance schema examples`.

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

/// Says who this is and what it claims; only that is tested. `"wants": ["host_root"]`: machines come as trees too.
fn describe() -> Value {
    json!({"name": "my-allocator", "version": "0.1.0", "protocol": "2", "surfaces": ["pick"],
           "features": ["cpu-manager/static"]})
}

/// Chooses `params["count"]` of the CPUs `params["available"]` of `params["machine"]`. Sets are texts: "0-3,8".
fn pick(params: &Value) -> Value {
    let available = cpus(params["available"].as_str().unwrap_or_default());
    let count = params["count"].as_u64().unwrap_or_default() as usize;
    if count > available.len() {
        return json!({"result": "refused", "message": format!("{} CPUs are free", available.len())});
    }
    let chosen: Vec<String> = available[..count].iter().map(|cpu| cpu.to_string()).collect();
    json!({"result": "picked", "cpus": chosen.join(",")})
}

/// Reads a set of CPUs such as "0-3,8".
fn cpus(list: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        found.extend(first.parse::<u32>().unwrap_or(0)..=last.parse::<u32>().unwrap_or(0));
    }
    found
}

/// Answers one message; None says that a method is not there.
fn answer(method: &str, params: &Value) -> Option<Value> {
    match method {
        "describe" => Some(describe()),
        "pick" => Some(pick(params)),
        _ => None,
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let method = message["method"].as_str().unwrap_or_default();
        if method == "shutdown" {
            break;
        }
        let mut reply = json!({"jsonrpc": "2.0", "id": message["id"]});
        match answer(method, &message["params"]) {
            Some(result) => reply["result"] = result,
            None => reply["error"] = json!({"code": -32601, "message": format!("no method {method}")}),
        }
        writeln!(out, "{reply}")?;
        out.flush()?;
    }
    Ok(())
}
