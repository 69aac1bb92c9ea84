//! The options of curl 7.88.

use sandshell_cli::options::{Opt, Spec, hidden, listed};

/// The options. Each without a value can be negated with the prefix `no-`.
pub(super) const SPEC: Spec = Spec { name: "curl", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    hidden("h", "-h, --help[=CATEGORY]"),
    // The help has these in lines of others.
    hidden("", "--data-ascii, --data-binary, --data-raw, --data-urlencode, --json, --form-string=X"),
    hidden("", "--create-dirs, --clobber, --progress-meter, --remote-name-all"),
    hidden("continue-at", "-C, --continue-at=X"),
    hidden("include", "-i, --include"),
    hidden("show-error", "-S, --show-error"),
    listed(HELP),
    // With a value.
    hidden("cert", "-E, --cert=X"),
    hidden("cookie", "-b, --cookie=X"),
    hidden("cookie-jar", "-c, --cookie-jar=X"),
    hidden("ftp-port", "-P, --ftp-port=X"),
    hidden("header", "-H, --header=X"),
    hidden("max-time", "-m, --max-time=X"),
    hidden("proxy-user", "-U, --proxy-user=X"),
    hidden("quote", "-Q, --quote=X"),
    hidden("referer", "-e, --referer=X"),
    hidden("speed-limit", "-Y, --speed-limit=X"),
    hidden("speed-time", "-y, --speed-time=X"),
    hidden("telnet-option", "-t, --telnet-option=X"),
    hidden("time-cond", "-z, --time-cond=X"),
    hidden("user", "-u, --user=X"),
    hidden("user-agent", "-A, --user-agent=X"),
    hidden(
        "",
        "--preproxy, --abstract-unix-socket, --alt-svc, --aws-sigv4, --cacert, --capath, --cert-type, --ciphers, \
         --connect-timeout, --connect-to, --create-file-mode, --crlfile, --curves, --delegation, --dns-interface, \
         --dns-ipv4-addr, --dns-ipv6-addr, --dns-servers, --doh-url, --egd-file, --engine, --etag-compare, \
         --etag-save, --expect100-timeout, --ftp-account, --ftp-alternative-to-user, --ftp-method, \
         --ftp-ssl-ccc-mode, --happy-eyeballs-timeout-ms, --hostpubmd5, --hostpubsha256, --hsts, --interface, \
         --keepalive-time, --key, --key-type, --krb, --libcurl, --limit-rate, --local-port, --login-options, \
         --mail-auth, --mail-from, --mail-rcpt, --max-filesize, --max-redirs, --netrc-file, --noproxy, \
         --oauth2-bearer, --parallel-max, --pass, --pinnedpubkey, --proto, --proto-default, --proto-redir, \
         --proxy-cacert, --proxy-capath, --proxy-cert, --proxy-cert-type, --proxy-ciphers, --proxy-crlfile, \
         --proxy-header, --proxy-key, --proxy-key-type, --proxy-pass, --proxy-pinnedpubkey, --proxy-service-name, \
         --proxy-tls13-ciphers, --proxy-tlsauthtype, --proxy-tlspassword, --proxy-tlsuser, --proxy1.0, --pubkey, \
         --random-file, --rate, --request-target, --resolve, --retry-delay, --retry-max-time, --sasl-authzid, \
         --service-name, --socks4, --socks4a, --socks5, --socks5-gssapi-service, --socks5-hostname, \
         --tftp-blksize, --tls-max, --tls13-ciphers, --tlsauthtype, --tlspassword, --tlsuser, --trace, \
         --trace-ascii, --unix-socket, --url-query=X",
    ),
    // Without one.
    hidden("append", "-a, --append"),
    hidden("disable", "-q, --disable"),
    hidden("fail", "-f, --fail"),
    hidden("get", "-G, --get"),
    hidden("http1.0", "-0, --http1.0"),
    hidden("insecure", "-k, --insecure"),
    hidden("ipv4", "-4, --ipv4"),
    hidden("ipv6", "-6, --ipv6"),
    hidden("junk-session-cookies", "-j, --junk-session-cookies"),
    hidden("list-only", "-l, --list-only"),
    hidden("location", "-L, --location"),
    hidden("netrc", "-n, --netrc"),
    hidden("next", "-:, --next"),
    hidden("buffer", "-N, --buffer"),
    hidden("parallel", "-Z, --parallel"),
    hidden("proxytunnel", "-p, --proxytunnel"),
    hidden("remote-header-name", "-J, --remote-header-name"),
    hidden("remote-time", "-R, --remote-time"),
    hidden("sslv2", "-2, --sslv2"),
    hidden("sslv3", "-3, --sslv3"),
    hidden("tlsv1", "-1, --tlsv1"),
    hidden("use-ascii", "-B, --use-ascii"),
    hidden(
        "",
        "--anyauth, --basic, --cert-status, --compressed, --compressed-ssh, --crlf, --digest, --disable-eprt, \
         --disable-epsv, --disallow-username-in-url, --doh-cert-status, --doh-insecure, --fail-with-body, \
         --false-start, --form-escape, --ftp-create-dirs, --ftp-pasv, --ftp-pret, --ftp-skip-pasv-ip, \
         --ftp-ssl-ccc, --ftp-ssl-control, --haproxy-protocol, --http0.9, --http1.1, --http2, \
         --http2-prior-knowledge, --http3, --http3-only, --ignore-content-length, --location-trusted, \
         --mail-rcpt-allowfails, --metalink, --negotiate, --netrc-optional, --alpn, --keepalive, --npn, \
         --sessionid, --ntlm, --ntlm-wb, --parallel-immediate, --path-as-is, --post301, --post302, --post303, \
         --proxy-anyauth, --proxy-basic, --proxy-digest, --proxy-insecure, --proxy-negotiate, --proxy-ntlm, \
         --proxy-ssl-allow-beast, --proxy-ssl-auto-client-cert, --proxy-tlsv1, --raw, --remove-on-error, \
         --retry-all-errors, --retry-connrefused, --sasl-ir, --socks5-basic, --socks5-gssapi, \
         --socks5-gssapi-nec, --ssl, --ssl-allow-beast, --ssl-auto-client-cert, --ssl-no-revoke, --ssl-reqd, \
         --ssl-revoke-best-effort, --styled-output, --suppress-connect-headers, --tcp-fastopen, --tcp-nodelay, \
         --tftp-no-options, --tlsv1.0, --tlsv1.1, --tlsv1.2, --tlsv1.3, --tr-encoding, --trace-time, --xattr",
    ),
];

const HELP: &str = "\
Usage: curl [options...] <url>
Nothing can be fetched in a sandbox but file:// URLs: hosts are not found, as on a machine that is not connected.

 -o, --output <file>        into this file, one -o for each URL
 -O, --remote-name          into a file of the URL's last part; --remote-name-all: all that have no -o
     --output-dir <dir>     in this directory; --create-dirs: make it
     --no-clobber           not into files that are there
 -T, --upload-file <file>   send this file
 -d, --data, --data-ascii, --data-binary, --data-raw, --data-urlencode, --json <data>   send this, or what is in @file
 -F, --form, --form-string <name=text>   send a form
 -X, --request <method>     with this method
 -r, --range <range>        only these bytes; -C, --continue-at <offset>: from there on
 -I, --head                 only what is known about the document; -i, --include: that too
 -D, --dump-header <file>   into this file
 -w, --write-out <format>   say this at the end; @file has it
 -s, --silent               no messages; -S, --show-error: but errors
 -v, --verbose              say what is done
 -#, --progress-bar, --no-progress-meter   without the usual one
     --stderr <file>        messages into this file
     --fail-early           stop at the first error
     --retry <times>        try again
 -g, --globoff              [] and {} in URLs are themselves
 -x, --proxy <host>         by way of this host, which is not found either
     --url <url>            one more URL
 -K, --config <file>        options from this file
 -h, --help <category>      this text
 -M, --manual               say that there is no manual
 -V, --version              the version

The other options of version 7.88.1 are accepted without effect; numbers among their values are checked.
";
