//! Uploading and downloading.

use bytes::Bytes;

use super::{CaseResult, Context};
use crate::posix::quote;
use crate::{FileDownloadResponse, FileError, FileUpload, FileUploadResponse};

/// Names that a shell, a line-based protocol or a URL could misread.
pub(super) const ODD_NAMES: &[&str] = &[
    "with space",
    " lead and trail ",
    "quote'single",
    "quote\"double",
    "back\\slash",
    "dollar$HOME",
    "back`tick`",
    "semi;colon&amp|pipe",
    "star*[x]?{a,b}",
    "-dash",
    "--",
    "new\nline",
    "tab\there",
    "percent%20%s",
    "hash#",
    "(paren)",
    "<angle>",
    "ünïcödé",
    "日本語",
    "👋🌍",
    "#!",
    "~",
    "...",
    "a:1:b",
    "\r",
];

pub(super) async fn upload_one(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("upload.txt");
    let responses = cx.sandbox.upload_files(vec![FileUpload::new(&path, "Hello from test file!")]).await?;
    check_eq!(responses, [FileUploadResponse { path: path.clone(), result: Ok(()) }]);
    check_eq!(cx.run(&format!("cat {}", quote(&path))).await?.text().as_ref(), "Hello from test file!");
    Ok(())
}

pub(super) async fn download_one(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("download.txt", "content").await?;
    let responses = cx.sandbox.download_files(vec![path.clone()]).await?;
    check_eq!(responses, [FileDownloadResponse { path, result: Ok(Bytes::from_static(b"content")) }]);
    Ok(())
}

pub(super) async fn download_what_a_command_wrote(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo written > by-a-command").await?;
    check_eq!(cx.content(&cx.path("by-a-command")).await?.as_ref(), b"written\n");
    Ok(())
}

pub(super) async fn empty_batches(cx: &Context<'_>) -> CaseResult {
    check!(cx.sandbox.upload_files(Vec::new()).await?.is_empty());
    check!(cx.sandbox.download_files(Vec::new()).await?.is_empty());
    Ok(())
}

pub(super) async fn upload_keeps_order(cx: &Context<'_>) -> CaseResult {
    let names = ["c", "a", "b", "z/y", "m"];
    let files: Vec<FileUpload> = names.iter().map(|name| FileUpload::new(cx.path(name), *name)).collect();
    let responses = cx.sandbox.upload_files(files).await?;
    let paths: Vec<String> = responses.into_iter().map(|response| response.path).collect();
    check_eq!(paths, names.map(|name| cx.path(name)));
    check_eq!(cx.sh("cat c a b z/y m").await?, "cabz/ym");
    Ok(())
}

pub(super) async fn download_keeps_order(cx: &Context<'_>) -> CaseResult {
    let names = ["c", "a", "b", "z/y", "m"];
    cx.files(&names.map(|name| (name, name))).await?;
    let responses = cx.sandbox.download_files(names.map(|name| cx.path(name)).to_vec()).await?;
    let expected = names.map(|name| FileDownloadResponse {
        path: cx.path(name),
        result: Ok(Bytes::from_static(name.as_bytes())),
    });
    check_eq!(responses, expected);
    Ok(())
}

pub(super) async fn every_byte_value(cx: &Context<'_>) -> CaseResult {
    let bytes: Bytes = (0..=255u8).cycle().take(1024).chain([0, 0, b'\n', 0xff]).collect();
    let path = cx.file("bytes.bin", bytes.clone()).await?;
    check_eq!(cx.content(&path).await?, bytes);
    check_eq!(cx.run(&format!("wc -c < {}", quote(&path))).await?.text().trim(), "1028");
    Ok(())
}

pub(super) async fn empty_file(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("empty", Bytes::new()).await?;
    check_eq!(cx.content(&path).await?.len(), 0);
    check_eq!(cx.sh("[ -f empty ] && [ ! -s empty ] && echo yes").await?, "yes\n");
    Ok(())
}

pub(super) async fn ten_mebibytes(cx: &Context<'_>) -> CaseResult {
    let content = pseudo_random(10 << 20);
    let path = cx.file("large.bin", content.clone()).await?;
    check_eq!(cx.sh("wc -c < large.bin").await?.trim(), "10485760");
    check!(cx.content(&path).await? == content, "the content came back changed");
    Ok(())
}

pub(super) async fn upload_creates_parents(cx: &Context<'_>) -> CaseResult {
    cx.file("a/b/c/d.txt", "deep").await?;
    check_eq!(cx.sh("cat a/b/c/d.txt").await?, "deep");
    Ok(())
}

pub(super) async fn upload_overwrites(cx: &Context<'_>) -> CaseResult {
    cx.file("f", "a longer first content").await?;
    let path = cx.file("f", "second").await?;
    check_eq!(cx.content(&path).await?.as_ref(), b"second");
    Ok(())
}

pub(super) async fn upload_keeps_the_mode(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo first > f; chmod 750 f; ln f other").await?;
    cx.file("f", "second").await?;
    check_eq!(cx.sh("stat -c %a f; cat other").await?, "750\nsecond");
    Ok(())
}

pub(super) async fn upload_follows_links(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo first > target; ln -s target link; mkdir d; ln -s d dirlink").await?;
    cx.file("link", "second").await?;
    cx.file("dirlink/f", "below").await?;
    check_eq!(
        cx.sh("cat target d/f; [ -L link ] && [ -L dirlink ] && echo still").await?,
        "secondbelowstill\n"
    );
    Ok(())
}

pub(super) async fn odd_names(cx: &Context<'_>) -> CaseResult {
    for name in ODD_NAMES {
        let path = cx.file(&format!("{name}/{name}"), *name).await?;
        check_eq!(cx.content(&path).await?.as_ref(), name.as_bytes());
        check_eq!(cx.run(&format!("cat {}", quote(&path))).await?.output.as_ref(), name.as_bytes());
    }
    Ok(())
}

pub(super) async fn download_missing(cx: &Context<'_>) -> CaseResult {
    check_eq!(download_error(cx, &cx.path("missing")).await?, Err(FileError::FileNotFound));
    check_eq!(download_error(cx, &cx.path("missing/dir/f")).await?, Err(FileError::FileNotFound));
    cx.sh("ln -s nowhere dangling").await?;
    check_eq!(download_error(cx, &cx.path("dangling")).await?, Err(FileError::FileNotFound));
    Ok(())
}

pub(super) async fn download_directory(cx: &Context<'_>) -> CaseResult {
    check_eq!(download_error(cx, &cx.dir).await?, Err(FileError::IsDirectory));
    check_eq!(download_error(cx, &format!("{}/", cx.dir)).await?, Err(FileError::IsDirectory));
    check_eq!(download_error(cx, "/").await?, Err(FileError::IsDirectory));
    Ok(())
}

pub(super) async fn download_through_a_file(cx: &Context<'_>) -> CaseResult {
    cx.file("f", "x").await?;
    check_eq!(download_error(cx, &cx.path("f/below")).await?, Err(FileError::FileNotFound));
    Ok(())
}

pub(super) async fn download_unreadable(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo secret > f; chmod 000 f; mkdir closed; echo secret > closed/f; chmod 000 closed").await?;
    check_eq!(download_error(cx, &cx.path("f")).await?, Err(FileError::PermissionDenied));
    check_eq!(download_error(cx, &cx.path("closed/f")).await?, Err(FileError::PermissionDenied));
    cx.sh("chmod 644 f").await?;
    check_eq!(cx.content(&cx.path("f")).await?.as_ref(), b"secret\n");
    Ok(())
}

pub(super) async fn upload_unwritable(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo kept > f; chmod 444 f; mkdir closed; chmod 555 closed").await?;
    check_eq!(upload_error(cx, &cx.path("f")).await?, Err(FileError::PermissionDenied));
    check_eq!(upload_error(cx, &cx.path("closed/f")).await?, Err(FileError::PermissionDenied));
    check_eq!(upload_error(cx, &cx.path("closed/new/f")).await?, Err(FileError::PermissionDenied));
    check_eq!(cx.content(&cx.path("f")).await?.as_ref(), b"kept\n");
    Ok(())
}

pub(super) async fn upload_onto_a_directory(cx: &Context<'_>) -> CaseResult {
    check_eq!(upload_error(cx, &cx.dir).await?, Err(FileError::IsDirectory));
    check_eq!(upload_error(cx, "/").await?, Err(FileError::IsDirectory));
    Ok(())
}

pub(super) async fn upload_through_a_file(cx: &Context<'_>) -> CaseResult {
    cx.file("f", "kept").await?;
    check_eq!(upload_error(cx, &cx.path("f/below")).await?, Err(FileError::InvalidPath));
    check_eq!(upload_error(cx, &cx.path("f/far/below")).await?, Err(FileError::InvalidPath));
    check_eq!(cx.content(&cx.path("f")).await?.as_ref(), b"kept");
    Ok(())
}

pub(super) async fn relative_paths_are_invalid(cx: &Context<'_>) -> CaseResult {
    for path in ["relative.txt", "./relative.txt", "a/b", "", "~/f"] {
        check_eq!((path, upload_error(cx, path).await?), (path, Err(FileError::InvalidPath)));
        check_eq!((path, download_error(cx, path).await?), (path, Err(FileError::InvalidPath)));
    }
    Ok(())
}

pub(super) async fn nul_is_invalid(cx: &Context<'_>) -> CaseResult {
    let path = cx.path("a\0b");
    check_eq!(upload_error(cx, &path).await?, Err(FileError::InvalidPath));
    check_eq!(download_error(cx, &path).await?, Err(FileError::InvalidPath));
    check_eq!(cx.sh("ls -A").await?, "");
    Ok(())
}

pub(super) async fn one_failure_does_not_stop_a_batch(cx: &Context<'_>) -> CaseResult {
    let files = vec![
        FileUpload::new(cx.path("a"), "1"),
        FileUpload::new("relative", "2"),
        FileUpload::new(&cx.dir, "3"),
        FileUpload::new(cx.path("b"), "4"),
    ];
    let results: Vec<Result<(), FileError>> =
        cx.sandbox.upload_files(files).await?.into_iter().map(|response| response.result).collect();
    check_eq!(results, [Ok(()), Err(FileError::InvalidPath), Err(FileError::IsDirectory), Ok(())]);
    let paths = vec![cx.path("missing"), cx.path("a"), "relative".to_owned(), cx.path("b")];
    let results: Vec<Result<Bytes, FileError>> =
        cx.sandbox.download_files(paths).await?.into_iter().map(|response| response.result).collect();
    let (one, four) = (Bytes::from_static(b"1"), Bytes::from_static(b"4"));
    check_eq!(results, [Err(FileError::FileNotFound), Ok(one), Err(FileError::InvalidPath), Ok(four)]);
    Ok(())
}

async fn download_error(cx: &Context<'_>, path: &str) -> CaseResult<Result<usize, FileError>> {
    let mut responses = cx.sandbox.download_files(vec![path.to_owned()]).await?;
    check_eq!(responses.len(), 1);
    let response = responses.remove(0);
    check_eq!(response.path, path);
    Ok(response.result.map(|content| content.len()))
}

async fn upload_error(cx: &Context<'_>, path: &str) -> CaseResult<Result<(), FileError>> {
    let mut responses = cx.sandbox.upload_files(vec![FileUpload::new(path, "new")]).await?;
    check_eq!(responses.len(), 1);
    let response = responses.remove(0);
    check_eq!(response.path, path);
    Ok(response.result)
}

/// Bytes that a compression or text conversion could not leave unchanged by chance. They are the same every time.
pub(super) fn pseudo_random(length: usize) -> Bytes {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let words = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.flatten().take(length).collect()
}
