"""A test double of a model server: speaks the wire formats of Ollama and OpenAI, misbehaves on request.

What it does is asked for by a word in the user message ("[rubbish]", "[cut]", ...), so that
one prompt of a batch can go wrong while its neighbours go well.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GOOD_JSON = '{"mood": "glad"}'
TAGS = [
    {
        "name": "tiny:latest",
        "model": "tiny:latest",
        "digest": "d1g3st",
        "size": 9,
        "modified_at": "2026-02-01",
        "details": {"family": "llama"},
    },
    {
        "name": "thinker:latest",
        "model": "thinker:latest",
        "digest": "d2",
        "size": 9,
        "modified_at": "2026-01-01",
        "details": {"family": "qwen3"},
    },
    {
        "name": "hidden:latest",
        "model": "hidden:latest",
        "digest": "d3",
        "size": 1,
        "modified_at": "2026-03-01",
        "remote_host": "https://elsewhere.example",
        "details": {},
    },
    {
        "name": "big:120b-cloud",
        "model": "big:120b-cloud",
        "digest": "d4",
        "size": 1,
        "modified_at": "2026-03-02",
        "details": {},
    },
    {
        "name": "embedder:latest",
        "model": "embedder:latest",
        "digest": "d5",
        "size": 1,
        "modified_at": "2026-04-01",
        "details": {"family": "nomic-bert"},
    },
]


class ModelServerDouble(ThreadingHTTPServer):
    """On a free port of 127.0.0.1. `requests` holds every chat body received."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict] = []
        self.busy_answers = 0  # how many 503 to give before working
        self.pull_lines: list[dict] = []
        self.pull_hangs = False
        self.release = threading.Event()  # ends every "[slow]" answer
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.release.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        """A client that hangs up is expected here."""


class _Handler(BaseHTTPRequestHandler):
    server: ModelServerDouble

    def log_message(self, *args) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/api/tags":
            self._json({"models": TAGS})
        elif self.path == "/v1/models":
            self._json({"data": [{"id": "tiny", "max_model_len": 2048}, {"id": "thinker"}]})
        else:
            self._json({"version": "0.0.0"} if self.path == "/api/version" else {"error": "?"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/show":
            thinking = ["completion"] + (["thinking"] if body["model"].startswith("thinker") else [])
            self._json({"model_info": {"llama.context_length": 2048}, "capabilities": thinking})
        elif self.path == "/api/pull":
            self._stream(self.server.pull_lines, hang=self.server.pull_hangs)
        else:
            self.server.requests.append(body)
            self._chat(body)

    def _chat(self, body: dict) -> None:
        user = body["messages"][-1]["content"]
        if "[busy]" in user and self.server.busy_answers > 0:
            self.server.busy_answers -= 1
            return self._json({"error": "server busy"}, 503)
        if "[error]" in user:
            return self._json({"error": f"cannot do {user}"}, 500)
        if "[window]" in user:
            return self._json({"error": "input exceeds the context length"}, 400)
        if "[slow]" in user:
            self.server.release.wait(20)
        if "[die]" in user:
            self.server.socket.close()  # nobody can connect any more
            self.close_connection = True
            return None
        content, thinking, reason, read = self._content(body, user)
        if self.path == "/api/chat":
            return self._ollama(content, thinking, reason, read)
        return self._json(
            {
                "choices": [
                    {"message": {"content": content, "reasoning_content": thinking}, "finish_reason": reason}
                ],
                "usage": {"prompt_tokens": read, "completion_tokens": 7},
            }
        )

    def _content(self, body: dict, user: str) -> tuple[str, str, str, int]:
        schema = body.get("format") or body.get("response_format")
        content = GOOD_JSON if schema else f"A glad answer. Seed {self._seed(body)}."
        thinking, reason, read = "", "stop", 3 + sum(len(m["content"].split()) for m in body["messages"])
        forbidden = body.get("think") is False or "chat_template_kwargs" in body
        if "[rubbish]" in user:
            content = "{mood: "
        if "[ignored]" in user:
            content = '{"mood": 7}'
        if (
            "[second try]" in user
            and sum(user == r["messages"][-1]["content"] for r in self.server.requests) == 1
        ):
            content = ""
        if "[empty]" in user:
            content = "  "
        if "[thinks]" in user and not forbidden:
            content, thinking = "", "Let me think."
        if "[only thinks]" in user:
            content, thinking = "", "Let me think."
        if "[tagged]" in user:
            content = "<think>hm</think>" + content
        if "[cut]" in user:
            content, reason = "A whole sentence. And half of", "length"
        if "[truncated]" in user:
            read = 5
        return content, thinking, reason, read

    @staticmethod
    def _seed(body: dict) -> int:
        return body.get("options", body)["seed"]

    def _ollama(self, content: str, thinking: str, reason: str, read: int) -> None:
        half = len(content) // 2
        parts = [
            {"message": {"role": "assistant", "content": part, "thinking": thinking}, "done": False}
            for part in (content[:half], content[half:])
        ]
        last = {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": reason,
            "prompt_eval_count": read,
            "eval_count": 7,
        }
        self._stream([*parts, last])

    def _stream(self, lines: list[dict], hang: bool = False) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        for line in lines:
            self.wfile.write(json.dumps(line).encode() + b"\n")
            self.wfile.flush()
        if hang:
            self.server.release.wait(20)
        time.sleep(0)

    def _json(self, value: dict, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
