"""Chooses commands of aws-cli and rclone, and changes the local files that they move."""

import os
import shutil

BUCKET = "commands"
NAMES = ["a.txt", "b.html", "c d.png", "e+f.bin", "sub/g.txt", "sub/h (1).txt", "sub/deep/i.json", "sub/deep/j&k=l.css", "m'n.bin", "sub-x/o.txt"]
PREFIXES = ["", "in/", "in/sub/", "copy/", "zzz/"]
PATTERNS = ["*.txt", "sub/*", "*h*", "*/deep/*"]
OLD, NEW = 1_577_836_800, 1_893_456_000


class Generator:
    def __init__(self, choose, has_rclone):
        self.choose = choose
        self.kinds = [self.aws_copy] * 4 + [self.aws_sync] * 3 + [self.aws_move, self.aws_remove, self.aws_list, self.aws_list, self.aws_presign]
        self.kinds += [self.aws_api] * 5 + [self.aws_versions] * 2
        if has_rclone:
            self.kinds += [self.rclone_copy] * 3 + [self.rclone_sync] * 2 + [self.rclone_read] * 4 + [self.rclone_remove]
        self.keys, self.known_versions, self.files = [], [], []

    def command(self, bucket, versions, files):
        self.keys, self.known_versions = sorted(bucket), sorted(versions)
        self.files = sorted(file for file in files if file.startswith("local/"))
        return self.choose.choice(self.kinds)()

    def of(self, options):
        return self.choose.choice(options)

    def maybe(self, odds, *words):
        return list(words) if self.choose.random() < odds else []

    def change_files(self, folders):
        """Writes or deletes some local files, the same in each folder. Their times are long ago or far ahead, so that no clock decides."""
        for _ in range(self.choose.choice([0, 1, 1, 2, 4])):
            path, removed = os.path.join("local", self.of(NAMES)), self.choose.random() < 0.15
            size = self.of([0, 1, 30, 30, 2000]) if self.choose.random() < 0.97 else 5 * 1024 * 1024 + 77
            data, moment = self.choose.randbytes(size), self.of([OLD, OLD, NEW])
            for folder in folders:
                self.write(os.path.join(folder, path), None if removed else data, moment)

    @staticmethod
    def write(path, data, moment):
        if data is None:
            if os.path.exists(path):
                os.remove(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.utime(path, (moment, moment))

    def key(self, absent=0.08):
        """A key that there is, or most probably is not."""
        if self.keys and self.choose.random() > absent:
            return self.of(self.keys)
        return self.of(["absent.txt", "in/absent.txt", f"in/{self.of(NAMES)}"])

    def local(self):
        """Returns the name of a local file. In most cases the file exists; in some cases it most likely does not."""
        return self.of(self.files) if self.files and self.choose.random() < 0.9 else f"local/{self.of(NAMES)}"

    def remote(self, key=None):
        return f"s3://{BUCKET}/{self.key() if key is None else key}"

    def details(self):
        return [*self.maybe(0.3, "--content-type", self.of(["text/css", "image/png"])), *self.maybe(0.3, "--metadata", self.of(["colour=red", "Colour=blue,size=9"])),
                *self.maybe(0.2, "--cache-control", "max-age=60")]

    def filters(self):
        return [*self.maybe(0.3, "--exclude", self.of(PATTERNS)), *self.maybe(0.15, "--include", self.of(PATTERNS))]

    def new_key(self):
        return f"{self.of(PREFIXES[:4])}{self.of(NAMES)}"

    def aws_copy(self):
        aws = ["aws", "s3", "cp"]
        return self.of([
            lambda: [*aws, self.local(), self.remote(self.new_key()), *self.details()],
            lambda: [*aws, self.local(), self.remote(self.of(PREFIXES)), "--only-show-errors"],
            lambda: [*aws, self.remote(), f"down/{self.of(NAMES)}"],
            lambda: [*aws, self.remote(), self.remote(self.new_key()), *self.maybe(0.3, "--metadata-directive", "REPLACE", *self.details())],
            lambda: [*aws, "local", self.remote(self.of(PREFIXES)), "--recursive", *self.filters()],
            lambda: [*aws, self.remote(self.of(PREFIXES)), "down", "--recursive", *self.filters()],
            lambda: [*aws, self.remote("in/"), self.remote("copy/"), "--recursive"],
        ])()

    def aws_sync(self):
        options = [*self.maybe(0.4, "--delete"), *self.filters(), *self.maybe(0.15, "--size-only"), *self.maybe(0.1, "--dryrun")]
        ends = self.of([("local", self.remote("in/")), ("local", self.remote("in/")), (self.remote("in/"), "down"), (self.remote("in"), self.remote("copy"))])
        return ["aws", "s3", "sync", *ends, *options]

    def aws_move(self):
        ends = self.of([
            lambda: [self.local(), self.remote(self.new_key())], lambda: [self.remote(), f"down/{self.of(NAMES)}"],
            lambda: [self.remote(), self.remote(self.new_key())], lambda: [self.remote("copy/sub/"), self.remote("in/sub/"), "--recursive"],
        ])()
        return ["aws", "s3", "mv", *ends]

    def aws_remove(self):
        return ["aws", "s3", "rm", *self.of([[self.remote()], [self.remote()], [self.remote(self.of(PREFIXES[1:])), "--recursive", *self.filters()]])]

    def aws_list(self):
        target = self.of([self.remote(self.of(PREFIXES)), self.remote(self.of(["in", "i", "copy/sub/deep", "nothing"])), self.remote(), "s3://absent-bucket"])
        return ["aws", "s3", "ls", target, *self.maybe(0.5, "--recursive"), *self.maybe(0.3, "--summarize"), *self.maybe(0.3, "--human-readable"), *self.maybe(0.3, "--page-size", "2")]

    def aws_presign(self):
        return ["aws", "s3", "presign", self.remote(), "--expires-in", "300"]

    def api(self, name, *words):
        return ["aws", "s3api", name, "--bucket", BUCKET, *words]

    def aws_api(self):
        key = ["--key", self.key()]
        return self.of([
            lambda: self.api("head-object", *key), lambda: self.api("head-object", *key),
            lambda: self.api("get-object", *key, *self.maybe(0.5, "--range", self.of(["bytes=0-9", "bytes=5-", "bytes=-4"])), "down/got"),
            lambda: self.api("put-object", "--key", self.new_key(), "--body", self.local(), *self.details(), *self.maybe(0.4, "--if-none-match", "*")),
            lambda: self.api("copy-object", "--key", self.new_key(), "--copy-source", f"{BUCKET}/{key[1]}"),
            lambda: self.api("delete-object", *key),
            lambda: self.api("list-objects-v2", *self.maybe(0.6, "--prefix", self.of(PREFIXES[1:])), *self.maybe(0.4, "--delimiter", "/"), *self.maybe(0.3, "--page-size", "2"), *self.maybe(0.2, "--start-after", "in/c")),
            lambda: self.api("list-objects", *self.maybe(0.6, "--prefix", self.of(PREFIXES[1:])), *self.maybe(0.4, "--delimiter", "/"), *self.maybe(0.3, "--page-size", "2")),
            lambda: self.api("list-multipart-uploads"), lambda: self.api("get-bucket-location"), lambda: self.api("head-bucket"),
        ])()

    def aws_versions(self):
        if not self.known_versions or self.choose.random() < 0.3:
            return self.of([self.api("put-bucket-versioning", "--versioning-configuration", f"Status={self.of(['Enabled', 'Enabled', 'Suspended'])}"),
                            self.api("get-bucket-versioning"), self.api("list-object-versions")])
        key, index = self.of(self.known_versions)
        one = ["--key", key, "--version-id", f"{{version {key} {index}}}"]
        return self.of([
            lambda: self.api("list-object-versions", *self.maybe(0.5, "--prefix", self.of(PREFIXES[1:]))),
            lambda: self.api("head-object", *one), lambda: self.api("get-object", *one, "down/got"), lambda: self.api("delete-object", *one),
        ])()

    def rclone_copy(self):
        return self.of([
            lambda: ["rclone", "copyto", self.local(), self.path(self.new_key())],
            lambda: ["rclone", "copyto", self.path(self.key()), f"down/{self.of(NAMES)}"],
            lambda: ["rclone", "copyto", self.path(self.key()), self.path(self.new_key())],
            lambda: ["rclone", "copy", "local", self.path("in"), *self.maybe(0.3, "--exclude", "*.txt")],
            lambda: ["rclone", "copy", self.path("in"), "down"],
            lambda: ["rclone", "moveto", self.path(self.key()), self.path(self.new_key())],
            lambda: ["rclone", "copy", "local", self.path("in"), "--checksum", *self.maybe(0.3, "--immutable")],
        ])()

    def rclone_sync(self):
        ends = self.of([["local", self.path("in")], [self.path("in"), "down"], [self.path("in"), self.path("copy")]])
        return ["rclone", "sync", *ends, *self.maybe(0.3, "--checksum"), *self.maybe(0.2, "--size-only"), *self.maybe(0.2, "--max-delete", "1")]

    def rclone_read(self):
        place = self.path(self.of(["", "in", "in/sub", "nothing"]))
        return self.of([
            lambda: ["rclone", "lsf", "-R", "--format", "psh", place], lambda: ["rclone", "lsjson", "--hash", "--metadata", *self.maybe(0.5, "-R"), place],
            lambda: ["rclone", "cat", self.path(self.key()), *self.maybe(0.5, "--offset", "3", "--count", "9")], lambda: ["rclone", "size", "--json", place],
            lambda: ["rclone", "check", "--download", "--one-way", "local", self.path("in")], lambda: ["rclone", "link", self.path(self.key()), "--expire", "300s"],
            lambda: ["rclone", "md5sum", place], lambda: ["rclone", "lsf", "--dirs-only", place],
        ])()

    def rclone_remove(self):
        return self.of([lambda: ["rclone", "deletefile", self.path(self.key())], lambda: ["rclone", "delete", self.path("copy")], lambda: ["rclone", "purge", self.path("copy/sub")]])()

    @staticmethod
    def path(key):
        return f":s3:{BUCKET}/{key}"

    def begin_anew(self, servers):
        """Empties the buckets and the folders, so that one difference does not cause further differences."""
        for server in servers:
            server.empty()
            for name in ("local", "down"):
                shutil.rmtree(os.path.join(server.folder, "files", name), ignore_errors=True)
