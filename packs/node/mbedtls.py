"""Ciphers of Mbed TLS (Apache-2.0), from Debian's source: only the files that `src/ciphers.c` uses."""

from libc import sources

VERSION = "2.28.3-1"
HASHES = {
    "mbedtls_2.28.3.orig.tar.gz": "3b4953aa55a681e084d31892d9904cc5328d6b4958ea57b90ae4b4f94ae69a8d",
    "mbedtls_2.28.3-1.debian.tar.xz": "3e03c61f63c7bbcd0bf695b53e6663ab448cc2e15429cd67d0e4f32e699645a9",
}
PARTS = ["aes", "gcm", "cipher", "cipher_wrap", "chacha20", "poly1305", "chachapoly", "constant_time", "platform_util"]

#: What is compiled. Its tables are constants, so that nothing is computed when a program starts.
CONFIG = """\
#define MBEDTLS_AES_C
#define MBEDTLS_AES_ROM_TABLES
#define MBEDTLS_CIPHER_C
#define MBEDTLS_CIPHER_MODE_CBC
#define MBEDTLS_CIPHER_MODE_CFB
#define MBEDTLS_CIPHER_MODE_CTR
#define MBEDTLS_CIPHER_MODE_OFB
#define MBEDTLS_GCM_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
"""


def build(tools, work):
    """The objects, and the flags that a program needs that uses them."""
    tree = sources.unpack("mbedtls", VERSION, HASHES, work)
    config = work / "mbedtls-config.h"
    config.write_text(CONFIG)
    flags = [f'-DMBEDTLS_CONFIG_FILE="{config}"', "-isystem", str(tree / "include")]
    parts = [tree / f"library/{part}.c" for part in PARTS]
    return tools.objects(parts, [*flags, f"-I{tree / 'library'}", "-Wno-everything"], "mbedtls"), flags
