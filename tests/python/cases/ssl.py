import ssl
print(ssl.PROTOCOL_TLS_CLIENT, ssl.CERT_REQUIRED, ssl.TLSVersion.TLSv1_2, ssl.HAS_SNI, ssl.HAS_TLSv1_3, ssl.OP_NO_SSLv3 == 1 << 25)
print(issubclass(ssl.SSLCertVerificationError, (ssl.SSLError, ValueError)), issubclass(ssl.SSLError, OSError), ssl.CertificateError is ssl.SSLCertVerificationError)
context = ssl.create_default_context()
print(context.verify_mode, context.check_hostname, context.protocol)
try: context.verify_mode = ssl.CERT_NONE
except ValueError as error: print(error)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
context.minimum_version = ssl.TLSVersion.TLSv1_3
print(context.verify_mode, context.minimum_version, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).verify_mode)
context.options |= ssl.OP_NO_TLSv1_3
print(bool(context.options & ssl.OP_NO_TLSv1_3), context.cert_store_stats()["crl"])
for wrong in (lambda: ssl.SSLContext(99), lambda: setattr(context, "verify_mode", 9), lambda: context.load_verify_locations(),
              lambda: context.load_verify_locations("/there/is/none"), lambda: ssl.PEM_cert_to_DER_cert("x")):
    try: print(wrong())
    except Exception as error: print(type(error).__name__, error)
bio = ssl.MemoryBIO(); print(bio.write(b"abc"), bio.pending, bio.read(2), bio.eof); bio.write_eof(); bio.read(); print(bio.eof)
print(len(ssl.RAND_bytes(5)), ssl.RAND_status(), ssl.Purpose.SERVER_AUTH.oid, ssl.cert_time_to_seconds("Jan  5 09:34:43 2018 GMT"))
---
import ssl
PEM = """-----BEGIN CERTIFICATE-----
MIICLDCCAdKgAwIBAgIUXGkM2bDOD48/zkTNdH4zou2pRu0wCgYIKoZIzj0EAwIw
NjELMAkGA1UEBhMCWFgxEDAOBgNVBAoMB0V4YW1wbGUxFTATBgNVBAMMDGV4YW1w
bGUudGVzdDAeFw0yNjExMjQxOTAyMjNaFw0zNjExMjExOTAyMjNaMDYxCzAJBgNV
BAYTAlhYMRAwDgYDVQQKDAdFeGFtcGxlMRUwEwYDVQQDDAxleGFtcGxlLnRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASwnsPgRTl0CXnSg8LRAHvqI3VrHlQd
cuuAe0iPYDpz6a7kQG52vla9FYjRe1ohXlRK7lSHvXjsRt/Xqd/jQKJ1o4G9MIG6
MB0GA1UdDgQWBBR+O8MHr9KpR2DHtSYsOqT60TcXJjAfBgNVHSMEGDAWgBR+O8MH
r9KpR2DHtSYsOqT60TcXJjAPBgNVHRMBAf8EBTADAQH/MGcGA1UdEQRgMF6CDGV4
YW1wbGUudGVzdIIOKi5leGFtcGxlLnRlc3SHBAoAAAGHECABDbgAAAAAAAAAAAAA
AAGBDmFAZXhhbXBsZS50ZXN0hhZodHRwczovL2V4YW1wbGUudGVzdC94MAoGCCqG
SM49BAMCA0gAMEUCIQDB35sc0zDlyOvTYVmq7t16B5fm+3F3YkfpwYKi2hHVRQIg
U8XzIZiW+yElh4moGkMIkeNu9AmLnApbqZ6Vx3ZT/ok=
-----END CERTIFICATE-----
"""
der = ssl.PEM_cert_to_DER_cert(PEM)
print(len(der), ssl.DER_cert_to_PEM_cert(der).count("\n"))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.load_verify_locations(cadata=PEM)
print(context.cert_store_stats())
print(context.get_ca_certs())
print(context.get_ca_certs(binary_form=True) == [der])
---
import socketserver, os, hashlib, subprocess, warnings, gc
print(hasattr(os, "fork"), socketserver.ForkingMixIn.__name__, issubclass(socketserver.ThreadingTCPServer, socketserver.TCPServer))
print(hashlib.scrypt(b"password", salt=b"NaCl", n=16, r=2, p=1, dklen=20).hex())
for wrong in (dict(n=15, r=1, p=1), dict(n=16, r=0, p=1)):
    try: hashlib.scrypt(b"", salt=b"", **wrong)
    except ValueError: print("ValueError")
warnings.simplefilter("error")
for command in (["/there/is/none"], ["/"]):
    try: subprocess.Popen(command)
    except OSError as error: print(type(error).__name__)
gc.collect()
