"""The signature of a request to S3, as Amazon describes it (Signature Version 4): computed anew, to compare that of the program with."""

import hashlib
import hmac
import urllib.parse

# The examples that Amazon publishes with the description, all at 20130524T000000Z in us-east-1: method, path, query, headers beside host
# and those of Amazon, body, signature.
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
EXAMPLES = [
    ("GET", "/test.txt", "", {"range": "bytes=0-9"}, b"", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    ("PUT", "/test%24file.text", "", {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"}, b"Welcome to Amazon S3.",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    ("GET", "/", "lifecycle=", {}, b"", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    ("GET", "/", "max-keys=2&prefix=J", {}, b"", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
]


def keyed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def canonical_query(query):
    """In the order of the encoded names, each with a value."""
    pairs = [(part.split("=", 1) + [""])[:2] for part in query.split("&") if part]
    quoted = [[urllib.parse.quote(urllib.parse.unquote(text), safe="") for text in pair] for pair in pairs]
    return "&".join("%s=%s" % tuple(pair) for pair in sorted(quoted))


def signature(secret, scope, request, signed, headers):
    """`scope`: day, region, service, aws4_request; `request`: method, path and query as they were sent; `headers` by their names in small letters."""
    method, path, query = request
    lines = [method, path, canonical_query(query), *("%s:%s" % (name, " ".join(headers[name].split())) for name in signed), "", ";".join(signed),
             headers["x-amz-content-sha256"]]
    told = ["AWS4-HMAC-SHA256", headers["x-amz-date"], "/".join(scope), hashlib.sha256("\n".join(lines).encode()).hexdigest()]
    key = ("AWS4" + secret).encode()
    for part in scope:
        key = keyed(key, part)
    return keyed(key, "\n".join(told)).hex()


def example(method, path, query, others, body):
    headers = dict(others, host="examplebucket.s3.amazonaws.com")
    headers.update({"x-amz-date": "20130524T000000Z", "x-amz-content-sha256": hashlib.sha256(body).hexdigest()})
    return signature(SECRET, ("20130524", "us-east-1", "s3", "aws4_request"), (method, path, query), sorted(headers), headers)


def faults_of(secret, request, headers, body):
    """What is wrong with a signed request, in words; "": nothing. All headers of Amazon must be signed, and the host."""
    headers = {name.lower(): value for name, value in headers.items()}
    told = dict(part.strip().split("=", 1) for part in headers.get("authorization", "").partition(" ")[2].split(","))
    signed = told.get("SignedHeaders", "").split(";")
    if headers.get("x-amz-content-sha256") != hashlib.sha256(body).hexdigest():
        return "another sum of the body"
    missing = [name for name in headers if (name.startswith("x-amz-") or name == "host") and name not in signed]
    if missing or signed != sorted(signed):
        return "not signed, or not in order: %s" % (missing or signed)
    scope = told["Credential"].split("/")[1:]
    return "" if told["Signature"] == signature(secret, scope, request, signed, headers) else "another signature"
