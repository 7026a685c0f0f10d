"""A bot for a seat of `fizzle serve --seat 1=external`: answers every question at random. Only the standard library is needed.

    python3 bot.py 'http://127.0.0.1:7878/#table=kite-44&as=seat&key=…'
"""
import base64, json, os, random, socket, struct, sys
from urllib.parse import parse_qs, urlsplit

link = urlsplit(sys.argv[1])
place = {name: values[0] for name, values in parse_qs(link.fragment).items()}
line = socket.create_connection((link.hostname, link.port))
stream = line.makefile("rb")
line.sendall(f"GET /ws HTTP/1.1\r\nHost: {link.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode())
while stream.readline() not in (b"\r\n", b""):
    pass


def send(message, kind=1):
    data = message if kind != 1 else json.dumps(message).encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xFE]) + struct.pack(">H", len(data))
    line.sendall(bytes([0x80 | kind]) + size + bytes(4) + data)  # the mask is zero


def receive():
    first, size = stream.read(2)
    size = struct.unpack(">H", stream.read(2))[0] if size == 126 else struct.unpack(">Q", stream.read(8))[0] if size == 127 else size
    return first & 15, stream.read(size)


def answer(ask):
    if ask["kind"] == "number":
        return {"number": random.randint(ask["min"], ask["max"])}
    if ask["kind"] == "divide":
        shares = [ask["min"]] * len(ask["options"])
        for _ in range(ask["max"] - sum(shares)):
            shares[random.randrange(len(shares))] += 1
        return {"shares": shares}
    if ask.get("main") is not None and ask["kind"] in ("assign", "pay"):
        return {"picks": ask["main"]}
    count = random.randint(ask["min"], min(ask["max"], len(ask["options"])))
    return {"picks": random.sample(range(len(ask["options"])), count)}


send({"t": "hello", "v": [1], "key": place["key"], "as": place["as"], "name": "bot.py", "table": place["table"]})
while True:
    kind, data = receive()
    if kind == 9:
        send(data, 10)
    if kind == 8:
        break
    message = json.loads(data) if kind == 1 else {}
    ask = message.get("ask")
    if message.get("t") in ("view", "step") and ask:
        send({"t": "answer", "ask": ask["id"], **answer(ask)})
    elif message.get("t") == "refused":  # a choice that the rules refuse: a legal one is named, or another view brings the question again
        send({"t": "answer", "ask": message["ask"], "picks": message["instead"]} if message.get("instead") is not None else {"t": "again"})
    elif message.get("t") in ("over", "error"):
        print(message["words"], flush=True)
        if message["t"] == "over":
            break
