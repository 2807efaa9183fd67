#!/usr/bin/env python3
"""moto: an S3 service in memory, with one bucket.

Prints its address as its only line on stdout and serves until its standard input closes, so that it never outlives
the test that started it.
"""

import sys

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
address = f"http://{host}:{port}"
client = boto3.client(
    "s3",
    endpoint_url=address,
    region_name="us-east-1",
    aws_access_key_id="setup",
    aws_secret_access_key="setup",
)
client.create_bucket(Bucket="checkpoints")
print(address, flush=True)
sys.stdin.read()
server.stop()
