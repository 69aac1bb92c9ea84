//! The options of wget 1.21.

use crate::base::options::{Opt, Spec, hidden, listed};

/// The options.
pub(super) const SPEC: Spec = Spec { name: "wget", options: OPTIONS, alphabetical: true, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    // Each letter of the value stands for an option.
    hidden("n", "-n LETTERS"),
    hidden("", "--no-clobber"),
    hidden("", "--no-verbose"),
    listed(HELP),
    hidden("accept", "-A, --accept=X"),
    hidden("adjust-extension", "-E, --adjust-extension"),
    hidden("background", "-b, --background"),
    hidden("backup-converted", "-K, --backup-converted"),
    hidden("base", "-B, --base=X"),
    hidden("convert-links", "-k, --convert-links"),
    hidden("debug", "-d, --debug"),
    hidden("domains", "-D, --domains=X"),
    hidden("exclude-directories", "-X, --exclude-directories=X"),
    hidden("execute", "-e, --execute=X"),
    hidden("force-directories", "-x, --force-directories"),
    hidden("force-html", "-F, --force-html"),
    hidden("include-directories", "-I, --include-directories=X"),
    hidden("inet4-only", "-4, --inet4-only"),
    hidden("inet6-only", "-6, --inet6-only"),
    hidden("level", "-l, --level=X"),
    hidden("mirror", "-m, --mirror"),
    hidden("page-requisites", "-p, --page-requisites"),
    hidden("quota", "-Q, --quota=X"),
    hidden("recursive", "-r, --recursive"),
    hidden("reject", "-R, --reject=X"),
    hidden("relative", "-L, --relative"),
    hidden("server-response", "-S, --server-response"),
    hidden("span-hosts", "-H, --span-hosts"),
    hidden("timeout", "-T, --timeout=X"),
    hidden("tries", "-t, --tries=X"),
    hidden("user-agent", "-U, --user-agent=X"),
    hidden("verbose", "-v, --verbose"),
    hidden("wait", "-w, --wait=X"),
    hidden("proxy", "-Y X"),
    // With a value.
    hidden(
        "",
        "--accept-regex, --backups[=X], --bind-address, --body-data, --body-file, --ca-certificate, --ca-directory, \
         --certificate, --certificate-type, --ciphers, --compression, --config, --connect-timeout, --crl-file, \
         --cut-dirs, --default-page, --dns-timeout, --exclude-domains, --follow-tags, --ftp-password, --ftp-user, \
         --header, --hsts-file, --http-password, --http-user, --ignore-tags, --limit-rate, --load-cookies, \
         --local-encoding, --max-redirect, --method, --no, --password, --pinnedpubkey, --post-data, --post-file, \
         --prefer-family, --private-key, --private-key-type, --progress, --proxy-password, --proxy-user, \
         --read-timeout, --referer, --regex-type, --reject-regex, --rejected-log, --remote-encoding, \
         --report-speed, --restrict-file-names, --retry-on-http-error, --save-cookies, --secure-protocol, \
         --start-pos, --use-askpass, --user, --waitretry, --warc-dedup, --warc-file, --warc-header, \
         --warc-max-size, --warc-tempdir=X",
    ),
    // Without one.
    hidden(
        "",
        "--ask-password, --auth-no-challenge, --cache, --check-certificate, --clobber, --content-disposition, \
         --content-on-error, --convert-file-only, --cookies, --delete-after, --directories, --dns-cache, \
         --follow-ftp, --ftps-clear-data-connection, --ftps-fallback-to-ftp, --ftps-implicit, --ftps-resume-ssl, \
         --glob, --host-directories, --hsts, --http-keep-alive, --https-only, --if-modified-since, --ignore-case, \
         --ignore-length, --iri, --keep-session-cookies, --netrc, --no-background, --no-cache, \
         --no-check-certificate, --no-config, --no-continue, --no-cookies, --no-debug, --no-directories, \
         --no-dns-cache, --no-glob, --no-host-directories, --no-hsts, --no-http-keep-alive, \
         --no-if-modified-since, --no-iri, --no-netrc, --no-parent, --no-passive-ftp, --no-proxy, --no-quiet, \
         --no-recursive, --no-remove-listing, --no-timestamping, --no-use-server-timestamps, \
         --no-warc-compression, --no-warc-digests, --no-warc-keep-log, --parent, --passive-ftp, \
         --preserve-permissions, --protocol-directories, --proxy, --random-wait, --remove-listing, \
         --retr-symlinks, --retry-connrefused, --save-headers, --show-progress, --strict-comments, \
         --trust-server-names, --unlink, --use-server-timestamps, --warc-cdx, --warc-compression, --warc-digests, \
         --warc-keep-log, --xattr",
    ),
];

const HELP: &str = "\
GNU Wget 1.21.3, for servers in the same sandbox: there is no network.
Usage: wget [OPTION]... [URL]...

Hosts are localhost and the names in /etc/hosts; others are not found, as on a machine that is not connected.

  -O,  --output-document=FILE    all documents into FILE; `-` is standard output
  -P,  --directory-prefix=DIR    into DIR
  -i,  --input-file=FILE         URLs are the lines of FILE
  -c,  --continue                go on with files that are there in part
  -N,  --timestamping            only what is newer; so does -m, --mirror
  -nc, --no-clobber              only what is not there
       --spider                  only see whether it is there
  -S,  --server-response         show the heads of answers; --save-headers: keep them in the file
       --header=LINE             one more line of the request
       --method=WORD             another method; --body-data, --body-file: its body
       --post-data=TEXT          send this; --post-file: what is in a file
       --user=NAME               for the server; --password: the password
       --max-redirect=NUMBER     follow so many redirects, 20 without it
  -t,  --tries=NUMBER            try so often, 20 times without it
  -T,  --timeout=SECONDS         give up after so long without anything
       --load-cookies=FILE       cookies; --save-cookies: keep them
  -o,  --output-file=FILE        messages into FILE
  -a,  --append-output=FILE      messages at the end of FILE
  -q,  --quiet                   no messages
  -nv, --no-verbose              short messages; -v, --verbose: all
  -h,  --help                    this text
  -V,  --version                 the version

-r, -m and -p are refused for a host that is found: name each document. Values of --quota, --limit-rate and --wait
are checked. The other options of
version 1.21.3 are accepted without effect.
";
