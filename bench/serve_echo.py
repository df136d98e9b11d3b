"""The bare FastAPI application that `bench serve` compares with: it answers what it is sent."""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.post("/echo")
async def echo(told: dict[str, Any]) -> dict[str, Any]:
    """Return *told*."""
    return told


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
