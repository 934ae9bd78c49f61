"""Prints how to reach the stores of scripts/stores, as JSON. Runs in moto's environment, when all of them answer.

It makes the user of the S3 server that checks signatures, a bucket there, and the signed tokens (SAS) of the Azure account.
"""

import base64
import hashlib
import hmac
import json
import sys
import urllib.parse

import boto3


def signed_s3(url: str) -> dict[str, str]:
    # The server lets exactly these three requests pass without a signature.
    anybody = {"region_name": "us-east-1", "aws_access_key_id": "nobody", "aws_secret_access_key": "nothing"}
    iam = boto3.client("iam", endpoint_url=url, **anybody)
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    iam.create_user(UserName="inrush")
    iam.put_user_policy(
        UserName="inrush",
        PolicyName="everything",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [everything]}),
    )
    key = iam.create_access_key(UserName="inrush")["AccessKey"]
    own = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
    boto3.client("s3", endpoint_url=url, region_name="us-east-1", **own).create_bucket(Bucket="data")
    return {"url": url, "bucket": "data", "key_id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}


def azure(url: str, account: str, key: str) -> dict[str, str]:
    valid, expired = (sas(account, key, until) for until in ("2099-01-01T00:00:00Z", "2021-01-01T00:00:00Z"))
    return {"url": f"{url}/{account}", "account": account, "key": key, "sas": valid, "expired_sas": expired}


def sas(account: str, key: str, until: str) -> str:
    """A token for all of the account's blobs (learn.microsoft.com, "Create an account SAS")."""
    fields = {
        "sp": "rwdlac",
        "ss": "b",
        "srt": "sco",
        "st": "2020-01-01T00:00:00Z",
        "se": until,
        "spr": "https,http",
        "sv": "2020-10-02",
    }
    lines = [fields[name] for name in ("sp", "ss", "srt", "st", "se")] + ["", fields["spr"], fields["sv"]]
    text = "".join(f"{line}\n" for line in [account, *lines])
    signature = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    return urllib.parse.urlencode({**fields, "sig": base64.b64encode(signature).decode()})


def main() -> None:
    s3, signed, blobs, account, key, google = sys.argv[1:]
    print(
        json.dumps(
            {
                "s3": s3,
                "signed_s3": signed_s3(signed),
                "azure": azure(blobs, account, key),
                "google": google or None,
            }
        )
    )


main()
