"""Uploads pictures with metadata, valid and mutated, to a bucket with `strip_metadata`, and reads the served files with Pillow, piexif and
exiftool. They must find no position, maker, owner, serial number, comment or XMP. The server may also refuse the upload.

Arguments: the URL of the storage API, the service key, a seed, the number of files. The last line of the output is a JSON object."""

import io
import json
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zlib
from pathlib import Path

import piexif
from PIL import Image, ImageFile

try:
    import pillow_heif

    pillow_heif.register_heif_opener()
except ImportError:
    pillow_heif = None

storage, key, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
choose = random.Random(seed)
# Truncated pictures are checked too, because programs show the part that exists.
ImageFile.LOAD_TRUNCATED_IMAGES = True
SECRET = "Ailsa Sample 55.9572N"
XMP = f'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="{SECRET}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'.encode()
TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "GIF": "image/gif", "TIFF": "image/tiff",
         "AVIF": "image/avif", "HEIF": "image/heic"}
formats = [name for name in ("JPEG", "PNG", "WEBP", "GIF", "TIFF") if name]
if pillow_heif:
    formats.append("HEIF")
try:
    Image.new("RGB", (8, 8)).save(io.BytesIO(), "AVIF")
    formats.append("AVIF")
except (KeyError, OSError, ValueError):
    pass


def exif():
    """Returns EXIF data with everything that must be removed, and with an orientation, which must be kept."""
    return piexif.dump({
        "0th": {piexif.ImageIFD.Make: SECRET, piexif.ImageIFD.Artist: SECRET, piexif.ImageIFD.Copyright: SECRET,
                piexif.ImageIFD.ImageDescription: SECRET, piexif.ImageIFD.Software: SECRET,
                piexif.ImageIFD.XPAuthor: SECRET.encode("utf-16-le"),
                piexif.ImageIFD.Orientation: choose.choice([1, 3, 6, 8])},
        "Exif": {piexif.ExifIFD.CameraOwnerName: SECRET, piexif.ExifIFD.BodySerialNumber: SECRET,
                 piexif.ExifIFD.MakerNote: SECRET.encode(), piexif.ExifIFD.DateTimeOriginal: "2026:01:02 03:04:05"},
        "GPS": {piexif.GPSIFD.GPSLatitudeRef: "N", piexif.GPSIFD.GPSLatitude: ((55, 1), (57, 1), (26, 1)),
                piexif.GPSIFD.GPSLongitudeRef: "W", piexif.GPSIFD.GPSLongitude: ((4, 1), (48, 1), (56, 1))},
    })


def picture(kind):
    size = (choose.randint(16, 90), choose.randint(16, 90))
    image = Image.effect_noise(size, 40).convert("RGB")
    out, data = io.BytesIO(), exif()
    if kind == "JPEG":
        image.save(out, kind, exif=data, comment=SECRET, xmp=XMP, progressive=choose.random() < 0.3, quality=choose.randint(30, 95))
    elif kind == "PNG":
        from PIL.PngImagePlugin import PngInfo
        info = PngInfo()
        info.add_text("Author", SECRET)
        info.add_itxt("XML:com.adobe.xmp", XMP.decode())
        image.save(out, kind, exif=data, pnginfo=info)
    elif kind == "WEBP":
        frames = [Image.effect_noise(size, 40).convert("RGB") for _ in range(choose.choice([0, 0, 2]))]
        image.save(out, kind, exif=data, xmp=XMP, lossless=choose.random() < 0.5, save_all=bool(frames), append_images=frames)
    elif kind == "GIF":
        frames = [Image.effect_noise(size, 40).convert("P") for _ in range(choose.choice([0, 0, 2]))]
        image.convert("P").save(out, kind, comment=SECRET, save_all=bool(frames), append_images=frames)
        if choose.random() < 0.5:
            return with_gif_xmp(out.getvalue())
    elif kind == "TIFF":
        pages = [Image.effect_noise(size, 40).convert("RGB") for _ in range(choose.choice([0, 0, 2]))]
        # Pillow cannot compress a picture with nested directories.
        how = choose.choice([{"exif": data[6:]}, {"exif": data[6:]}, {"compression": "tiff_lzw"}, {"compression": "tiff_adobe_deflate"}])
        image.save(out, kind, **how, save_all=bool(pages), append_images=pages, description=SECRET, artist=SECRET)
    else:
        image.save(out, kind, exif=data, xmp=XMP)
    return out.getvalue()


def with_gif_xmp(gif):
    """An XMP block in the unusual format that Adobe defined for GIF."""
    start = 13 + (3 << ((gif[10] & 7) + 1) if gif[10] & 0x80 else 0)
    trailer = b"\x01" + bytes(range(255, -1, -1)) + b"\0"
    return gif[:start] + b"\x21\xff\x0bXMP DataXMP" + XMP + trailer + gif[start:]


def jpeg_segments(data):
    """The places of the markers before the first scan."""
    places, at = [], 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:
        places.append(at)
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    return places or [2]


def noise(longest):
    return bytes(choose.randrange(256) for _ in range(choose.randint(1, longest)))


def box(kind, content):
    return struct.pack(">I", len(content) + 8) + kind + content


def png_chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def app(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def strange_jpeg(data):
    """Inserts bytes that decoders skip or do not verify."""
    at, tail = choose.choice(jpeg_segments(data)), SECRET.encode() * choose.randint(1, 20)
    inserted = choose.choice([
        bytes(choose.randint(1, 9)), b"\xff" * choose.randint(1, 5), b"\xff\0" + noise(8).replace(b"\xff", b"\0"),
        tail, noise(40).replace(b"\xff", b"\0"), app(0xE0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0" + tail),
        app(0xEE, b"Adobe\0\x64\0\0\0\0\x01" + tail), app(0xE2, b"ICC_PROFILE\0\x01\x01" + tail), app(0xE2, b"ICC_PROFILE" + tail),
        app(0xE1, exif()), app(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + XMP), app(0xFE, tail), app(0xF3, tail),
        app(0xED, b"Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0" + bytes([len(SECRET) + 5]) + b"\x1c\x02\x50\0" + bytes([len(SECRET)]) + SECRET.encode()),
    ])
    return data[:at] + inserted + data[at:]


def strange_boxes(data):
    inserted = choose.choice([box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac") + XMP), box(b"moov", box(b"udta", box(b"\xa9xyz", SECRET.encode()))),
                              box(b"mpvd", SECRET.encode()), box(b"free", SECRET.encode()), box(b"meta", bytes(4) + SECRET.encode())])
    return data + inserted


def mutate(kind, data):
    """Returns a file name and a file that is unusual in some respect."""
    everywhere = {
        "cut": lambda: data[:choose.randrange(2, len(data))],
        "cut at its end": lambda: data[:-choose.randint(1, 40)],
        "one byte is another": lambda: flipped(data, len(data)),
        "a byte near its beginning is another": lambda: flipped(data, min(len(data), 300)),
        "bytes in between": lambda: spliced(data, noise(20)),
        "bytes are missing": lambda: missing(data),
        "bytes before it": lambda: choose.choice([b"\r\n", b"\0", b"\xef\xbb\xbf", b" " * 20, noise(6)]) + data,
        "bytes behind it": lambda: data + SECRET.encode() + noise(50),
        "twice": lambda: data + data,
        "metadata twice": lambda: doubled(data),
    }
    special = {"JPEG": strange_jpeg, "HEIF": strange_boxes, "AVIF": strange_boxes}.get(kind)
    if special and choose.random() < 0.6:
        return "strange " + kind, special(data)
    if kind == "PNG" and choose.random() < 0.3:
        return "strange PNG", data[:33] + png_chunk(choose.choice([b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"prVt", b"dSIG"]), b"Comment\0" + SECRET.encode()) + data[33:]
    if kind == "WEBP" and choose.random() < 0.3:
        chunk = choose.choice([b"EXIF", b"XMP ", b"ICCP", b"JUNK"]) + struct.pack("<I", len(SECRET)) + SECRET.encode() + b"\0" * (len(SECRET) % 2)
        grown = data + chunk
        return "strange WebP", grown[:4] + struct.pack("<I", len(grown) - 8) + grown[8:]
    name = choose.choice(list(everywhere))
    return name, everywhere[name]()


def flipped(data, within):
    at = choose.randrange(2, within)
    return data[:at] + bytes([data[at] ^ (1 << choose.randrange(8))]) + data[at + 1:]


def spliced(data, inserted):
    at = choose.randrange(2, len(data))
    return data[:at] + inserted + data[at:]


def missing(data):
    at = choose.randrange(2, len(data))
    return data[:at] + data[at + choose.randint(1, 20):]


def doubled(data):
    """Copies the bytes around the secret to another place in the file."""
    at = data.find(SECRET.encode())
    return spliced(data, data[max(0, at - 30):at + 60])


def ask(method, path, body=None, headers={}):
    request = urllib.request.Request(storage + path, body, {"authorization": f"Bearer {key}", **headers}, method=method)
    try:
        answer = urllib.request.urlopen(request)
        return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def by_pillow(data):
    """Metadata about place, owner or camera that Pillow finds."""
    found = []
    try:
        image = Image.open(io.BytesIO(data))
        read = image.getexif()
        found += [f"EXIF {tag}" for tag in read if tag in (270, 271, 272, 305, 315, 33432, 40093)]
        found += [f"GPS {tag}" for tag in read.get_ifd(0x8825)]
        found += [f"camera {tag}" for tag in read.get_ifd(0x8769) if tag in (37500, 42032, 42033)]
        for name, value in {**image.info, **getattr(image, "text", {}), **getattr(image, "tag_v2", {})}.items():
            text = value if isinstance(value, bytes) else str(value).encode(errors="replace")
            if SECRET.encode() in text or b"xmpmeta" in text:
                found.append(f"info {name}")
    except Exception:
        pass
    return found


def by_piexif(data):
    try:
        read = piexif.load(data)
    except Exception:
        return []
    wanted = {"0th": {271, 315, 33432, 270}, "Exif": {42032, 42033, 37500}, "GPS": set(range(32))}
    return [f"{part} {tag}" for part, tags in wanted.items() for tag in read.get(part) or {} if tag in tags]


def by_exiftool(files):
    """Metadata that exiftool finds in each file. One call reads many files."""
    if not shutil.which("exiftool") or not files:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        said = subprocess.run(["exiftool", "-j", "-G1", "-a", "-u", "-ee", "-q", folder], capture_output=True)
        listed = json.loads(said.stdout or b"[]")
    found = {}
    for one in listed:
        wrong = [name for name, value in one.items()
                 if SECRET in str(value) or name.split(":")[-1] in ("GPSLatitude", "GPSPosition", "Make", "Artist", "OwnerName", "SerialNumber", "Creator")]
        if wrong:
            found[Path(one["SourceFile"]).name] = wrong
    return found


stored, summary, faults = {}, {}, []
for number in range(count):
    kind = choose.choice(formats)
    data = picture(kind)
    assert by_pillow(data), f"Pillow reads no metadata in a {kind} file as it was made: this shows nothing"
    # One file in ten is unchanged, and the server must accept it.
    name, file = ("whole", data) if number % 10 == 0 else mutate(kind, data)
    declared = TYPES[kind] if choose.random() < 0.8 else choose.choice(["application/octet-stream", "image/jpeg", "image/png"])
    path = f"/object/strip/{number}"
    status, answer = ask("PUT", path, file, {"content-type": declared, "x-upsert": "true"})
    outcome = "taken" if status == 200 else "refused"
    summary.setdefault(f"{kind}: {name}", {"taken": 0, "refused": 0})[outcome] += 1
    what = f"file {number}, {kind}, {name}, declared as {declared}"
    if outcome == "refused":
        refusal = json.loads(answer)
        if status != 400 or "metadata" not in refusal["message"]:
            faults.append(f"{what}: {status} {refusal}")
        if name == "whole":
            faults.append(f"{what}: refused: {refusal['message']}")
        continue
    status, served = ask("GET", path)
    assert status == 200, (status, served)
    found = by_pillow(served) + by_piexif(served)
    if found:
        faults.append(f"{what}: {found}")
    if name == "whole":
        before, after = Image.open(io.BytesIO(data)), Image.open(io.BytesIO(served))
        if before.convert("RGB").tobytes() != after.convert("RGB").tobytes():
            faults.append(f"{what}: other pixels")
        if kind in ("JPEG", "PNG", "WEBP", "TIFF") and (before.getexif().get(274, 1) != after.getexif().get(274, 1)):
            faults.append(f"{what}: another orientation")
    stored[f"{number}.{kind.lower()}"] = served
read = by_exiftool(stored)
faults += [f"exiftool reads {wrong} in {name}" for name, wrong in read.items()]
taken = sum(outcome["taken"] for outcome in summary.values())
still = sum(SECRET.encode() in served for served in stored.values())
print(json.dumps({"formats": formats, "exiftool": bool(shutil.which("exiftool")), "files": count, "taken": taken,
                  "bytes of a secret that no reader finds": still, "summary": summary, "faults": faults}))
