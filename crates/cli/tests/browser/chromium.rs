//! A real Chromium, driven through the `DevTools` protocol over a pipe.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long any answer may take. Machines that run tests are slow at times.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser's program. In CI there must be one.
pub(crate) fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found =
        std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file());
    let required = ["CI", "STEADFAST_REQUIRE_TOOLS"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(found.is_some() || !required, "Chromium is not installed");
    found
}

/// A browser with one tab.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    /// What the browser has told without being asked.
    events: Vec<Value>,
    calls: u64,
    session: Option<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser whose window has this size.
    pub(crate) fn start(program: &Path, (width, height): (u32, u32)) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The protocol uses descriptors 3 and 4; the shell connects them with our pipes.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null", "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-component-update"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let input = process.stdin.take().expect("piped");
        let output = process.stdout.take().expect("piped");
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { continue };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser =
            Self { process, input, answers, events: Vec::new(), calls: 0, session: None, _profile: profile };
        browser.attach((width, height));
        browser
    }

    fn attach(&mut self, (width, height): (u32, u32)) {
        let target = self.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = self.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Calls a method and waits for its result.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.input.write_all(message.to_string().as_bytes()).expect("the browser listens");
        self.input.write_all(&[0]).expect("the browser listens");
        let answer = self.wait(method, |message| message["id"] == id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.answers.recv_timeout(left).unwrap_or_else(|error| panic!("{what}: {error}"));
            if wanted(&message) {
                return message;
            }
            self.events.push(message);
        }
    }

    /// Opens a file and waits until it is there. Returns how long that took.
    pub(crate) fn open(&mut self, file: &Path) -> Duration {
        self.events.clear();
        let start = Instant::now();
        self.call("Page.navigate", &json!({ "url": format!("file://{}", file.display()) }));
        let is_loaded = |message: &Value| message["method"] == "Page.loadEventFired";
        if !self.events.iter().any(is_loaded) {
            self.wait("loading", is_loaded);
        }
        // The script has run, and what it did is painted.
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        start.elapsed()
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The value of an expression as a text.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.evaluate(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Home" => 36,
            "End" => 35,
            "Tab" => 9,
            "Enter" => 13,
            " " => 32,
            other => panic!("no key {other}"),
        };
        let text = match key {
            "Enter" => "\r",
            " " => " ",
            _ => "",
        };
        let press = json!({ "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": key, "code": if key == " " { "Space" } else { key }, "windowsVirtualKeyCode": code, "text": text });
        self.call("Input.dispatchKeyEvent", &press);
        self.call("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }));
    }

    /// What the page has asked the network, or a disk, for.
    pub(crate) fn requests(&self) -> Vec<String> {
        let asked = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        asked.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// What is in the console: exceptions, errors, and violations of the policy.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let methods = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        let told = self.events.iter().filter(|event| methods.iter().any(|method| event["method"] == *method));
        told.map(ToString::to_string).collect()
    }

    /// Takes a picture of what can be seen.
    pub(crate) fn screenshot(&mut self) -> Vec<u8> {
        let picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let data = picture["data"].as_str().expect("a picture");
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data).expect("base64")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
