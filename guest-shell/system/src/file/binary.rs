//! Formats that are recognised by their first bytes, before the data is tested for being text.

use super::bytes::Bytes;
use super::{Description, archive, document, elf, image, media, program, script};

/// Describes the data. `is_text` tells whether all its characters occur in texts.
pub(super) fn describe(data: &[u8], is_text: bool) -> Option<Description> {
    if script::is_perl(data) {
        return Some(Description::new("Perl script text executable", "text/x-perl"));
    }
    if !is_text && data.starts_with(b"#!") {
        return script::describe_binary(data);
    }
    let bytes = Bytes(data);
    let first: [fn(Bytes<'_>) -> Option<Description>; 6] = [
        image::describe,
        archive::describe,
        media::describe,
        document::describe,
        elf::describe,
        program::describe,
    ];
    first.iter().find_map(|describe| describe(bytes)).or_else(|| {
        SIGNATURES
            .iter()
            .find(|(at, start, ..)| bytes.has(*at, start))
            .map(|(_, _, text, mime)| Description::new(*text, mime))
    })
}

const STREAM: &str = "application/octet-stream";
const PLAIN: &str = "text/plain";

#[rustfmt::skip]
const SIGNATURES: &[(usize, &[u8], &str, &str)] = &[
    (0, b"-----BEGIN OPENSSH PRIVATE KEY-----", "OpenSSH private key", PLAIN),
    (0, b"-----BEGIN PGP PRIVATE KEY BLOCK-", "PGP private key block", "application/pgp-keys"),
    (0, b"-----BEGIN PGP PUBLIC KEY BLOCK-", "PGP public key block", "application/pgp-keys"),
    (0, b"-----BEGIN PGP SIGNED MESSAGE-", "PGP signed message", "text/PGP"),
    (0, b"-----BEGIN PGP SIGNATURE-", "PGP signature", "application/pgp-signature"),
    (0, b"-----BEGIN PGP MESSAGE-", "PGP message", "application/pgp-encrypted"),
    (0, b"-----BEGIN CERTIFICATE-----", "PEM certificate", PLAIN),
    (0, b"-----BEGIN CERTIFICATE REQ", "PEM certificate request", PLAIN),
    (0, b"-----BEGIN RSA PRIVATE", "PEM RSA private key", PLAIN),
    (0, b"-----BEGIN DSA PRIVATE", "PEM DSA private key", PLAIN),
    (0, b"-----BEGIN EC PRIVATE", "PEM EC private key", PLAIN),
    (0, b"-----BEGIN ECDSA PRIVATE", "PEM ECDSA private key", PLAIN),
    (0, b"ssh-rsa ", "OpenSSH RSA public key", PLAIN),
    (0, b"ssh-dss ", "OpenSSH DSA public key", PLAIN),
    (0, b"ssh-ed25519 ", "OpenSSH ED25519 public key", PLAIN),
    (0, b"ecdsa-sha2-nistp256 ", "OpenSSH ECDSA public key", PLAIN),
    (0, b"ecdsa-sha2-nistp384 ", "OpenSSH ECDSA public key", PLAIN),
    (0, b"ecdsa-sha2-nistp521 ", "OpenSSH ECDSA public key", PLAIN),
    (0, b"BEGIN:VCALENDAR", "vCalendar calendar file", "text/calendar"),
    (0, b"BEGIN:VCARD", "vCard visiting card", "text/vcard"),
    (0, b"REGEDIT4", "Windows Registry text (Win95 or above)", "text/x-ms-regedit"),
    (0, b"[autorun]", "Microsoft Windows Autorun file", "application/x-setupscript"),
    (0, b"+/v8", "Unicode text, UTF-7", PLAIN),
    (0, b"+/v9", "Unicode text, UTF-7", PLAIN),
    (0, b"+/v+", "Unicode text, UTF-7", PLAIN),
    (0, b"+/v/", "Unicode text, UTF-7", PLAIN),
    (0, b"\xff\xfe\0\0", "Unicode text, UTF-32, little-endian", PLAIN),
    (0, b"\0\0\xfe\xff", "Unicode text, UTF-32, big-endian", PLAIN),
    (0, b"\x89HDF\r\n\x1a\n", "Hierarchical Data Format (version 5) data", "application/x-hdf5"),
    (0, b"PAR1", "Apache Parquet", STREAM),
    (0, b"wOFF", "Web Open Font Format", "font/woff"),
];

/// The description of unknown binary data.
pub(super) fn unknown() -> Description {
    Description::new("data", STREAM)
}
