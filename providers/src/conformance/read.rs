//! Reading files.

use bytes::Bytes;

use super::check::{injections, reason};
use super::transfer::{ODD_NAMES, pseudo_random};
use super::{CaseResult, Context, Failure};
use crate::operations::{MAX_BINARY_BYTES, MAX_PAGE_BYTES};
use crate::posix::quote;
use crate::{FailureReason, LineRange, Page, ReadContent, SandboxExt};

pub(super) async fn whole_file(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("f.txt", "Line 1\nLine 2\n\nLine 4\n").await?;
    let page = page(cx, &path, LineRange::default()).await?;
    check_eq!(page.text, "Line 1\nLine 2\n\nLine 4");
    check_eq!((page.start_line, page.end_line, page.next_offset, page.truncated), (1, 4, None, false));
    for name in ODD_NAMES {
        let path = cx.file(name, *name).await?;
        let expected = name.replace('\r', "\n");
        check_eq!(cx.text(&path, LineRange::ALL).await?, expected.strip_suffix('\n').unwrap_or(&expected));
    }
    Ok(())
}

pub(super) async fn missing(cx: &Context<'_>) -> CaseResult {
    for name in ["missing", "missing/dir/f"] {
        let path = cx.path(name);
        let result = cx.sandbox.read(&path, LineRange::default()).await;
        let Err(error) = &result else { return reason(result).map(drop) };
        check_eq!(error.to_string(), format!("File '{path}': file_not_found"));
        check_eq!(reason(result)?, FailureReason::FileNotFound);
    }
    cx.file("f", "x").await?;
    let through = cx.sandbox.read(&cx.path("f/below"), LineRange::default()).await;
    check_eq!(reason(through)?, FailureReason::FileNotFound);
    Ok(())
}

pub(super) async fn directory(cx: &Context<'_>) -> CaseResult {
    let result = cx.sandbox.read(&cx.dir, LineRange::default()).await;
    check_eq!(reason(result)?, FailureReason::NotARegularFile);
    Ok(())
}

pub(super) async fn device_does_not_hang(cx: &Context<'_>) -> CaseResult {
    let result = cx.sandbox.read("/dev/zero", LineRange::default()).await;
    check_eq!(reason(result)?, FailureReason::NotARegularFile);
    // Not every filesystem has FIFOs.
    if cx.sh("mkfifo fifo 2>/dev/null || echo none").await?.is_empty() {
        let result = cx.sandbox.read(&cx.path("fifo"), LineRange::default()).await;
        check_eq!(reason(result)?, FailureReason::NotARegularFile);
    }
    Ok(())
}

pub(super) async fn empty(cx: &Context<'_>) -> CaseResult {
    for name in ["empty", "empty.png"] {
        let path = cx.file(name, "").await?;
        check_eq!(cx.sandbox.read(&path, LineRange::new(5, 0)).await?.content, ReadContent::Empty);
        check_eq!(
            cx.text(&path, LineRange::default()).await?,
            "System reminder: File exists but has empty contents"
        );
    }
    Ok(())
}

pub(super) async fn offset(cx: &Context<'_>) -> CaseResult {
    let path = rows(cx, 10).await?;
    check_eq!(cx.text(&path, LineRange::new(5, 2000)).await?, expected_rows(6..=10));
    Ok(())
}

pub(super) async fn limit(cx: &Context<'_>) -> CaseResult {
    let path = rows(cx, 100).await?;
    let page = page(cx, &path, LineRange::new(0, 5)).await?;
    check_eq!(page.text, expected_rows(1..=5));
    check_eq!((page.start_line, page.end_line, page.next_offset), (1, 5, Some(5)));
    Ok(())
}

pub(super) async fn offset_and_limit(cx: &Context<'_>) -> CaseResult {
    let path = rows(cx, 20).await?;
    let page = page(cx, &path, LineRange::new(10, 5)).await?;
    check_eq!(page.text, expected_rows(11..=15));
    check_eq!((page.start_line, page.end_line, page.next_offset), (11, 15, Some(15)));
    check!(page.total_lines.is_none_or(|total| total == 20), "{:?}", page.total_lines);
    Ok(())
}

pub(super) async fn zero_limit(cx: &Context<'_>) -> CaseResult {
    let path = rows(cx, 3).await?;
    for offset in [0, 1, 100] {
        check_eq!(cx.sandbox.read(&path, LineRange::new(offset, 0)).await?.content, ReadContent::NoLines);
    }
    let missing = cx.sandbox.read(&cx.path("missing"), LineRange::new(0, 0)).await;
    check_eq!(reason(missing)?, FailureReason::FileNotFound);
    Ok(())
}

pub(super) async fn beyond_the_end(cx: &Context<'_>) -> CaseResult {
    let path = rows(cx, 3).await?;
    for offset in [3, 100, u64::MAX] {
        let result = cx.sandbox.read(&path, LineRange::new(offset, 10)).await;
        let Err(error) = &result else { return reason(result).map(drop) };
        let expected = format!("File '{path}': Line offset {offset} exceeds file length (3 lines)");
        check_eq!(error.to_string(), expected);
    }
    check_eq!(cx.text(&path, LineRange::new(2, 10)).await?, expected_rows(3..=3));
    Ok(())
}

pub(super) async fn unicode(cx: &Context<'_>) -> CaseResult {
    let text = "Hello 👋 世界\nПривет мир\nمرحبا";
    let path = cx.file("unicode.txt", text).await?;
    check_eq!(cx.text(&path, LineRange::default()).await?, text);
    Ok(())
}

pub(super) async fn long_lines(cx: &Context<'_>) -> CaseResult {
    let long = "x".repeat(3000);
    let path = cx.file("long.txt", format!("Short line\n{long}\nAnother short line")).await?;
    check_eq!(cx.text(&path, LineRange::default()).await?, format!("Short line\n{long}\nAnother short line"));
    Ok(())
}

pub(super) async fn in_pages(cx: &Context<'_>) -> CaseResult {
    let path = rows(cx, 2505).await?;
    let (mut offset, mut lines, mut pages) = (0, Vec::new(), 0);
    loop {
        let page = page(cx, &path, LineRange::new(offset, 100)).await?;
        lines.extend(page.text.split('\n').map(str::to_owned));
        pages += 1;
        match page.next_offset {
            Some(next) if next > offset => offset = next,
            _ => break,
        }
    }
    check_eq!(pages, 26);
    check_eq!(lines.join("\n"), expected_rows(1..=2505));
    Ok(())
}

pub(super) async fn page_size_is_capped(cx: &Context<'_>) -> CaseResult {
    let line = "é".repeat(500);
    let path = cx.file("wide.txt", vec![line.as_str(); 600].join("\n")).await?;
    let first = page(cx, &path, LineRange::default()).await?;
    check!(first.truncated);
    check!(first.text.ends_with(Page::TRUNCATION_NOTICE));
    check!(first.text.len() <= MAX_PAGE_BYTES, "{} bytes", first.text.len());
    check_eq!((first.end_line, first.next_offset), (511, Some(511)));
    let rest = page(cx, &path, LineRange::new(511, 2000)).await?;
    check_eq!((rest.start_line, rest.end_line, rest.truncated), (512, 600, false));
    let single = cx.file("single.txt", "x".repeat(600_000)).await?;
    let page = page(cx, &single, LineRange::default()).await?;
    check_eq!((page.truncated, page.end_line, page.text.len()), (true, 1, MAX_PAGE_BYTES));
    Ok(())
}

pub(super) async fn crlf_becomes_lf(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("crlf.txt", "a\r\nb\rc\r\n").await?;
    let page = page(cx, &path, LineRange::default()).await?;
    check_eq!((page.text.as_str(), page.end_line), ("a\nb\nc", 3));
    Ok(())
}

pub(super) async fn binary_by_extension(cx: &Context<'_>) -> CaseResult {
    for name in ["image.png", "upper.JPG", "doc.pdf", "sound.mp3", "film.mkv"] {
        let path = cx.file(name, "only text inside").await?;
        let content = cx.sandbox.read(&path, LineRange::default()).await?.content;
        check_eq!((name, content), (name, ReadContent::Binary(Bytes::from_static(b"only text inside"))));
    }
    Ok(())
}

pub(super) async fn binary_by_content(cx: &Context<'_>) -> CaseResult {
    let bytes: Bytes = (0..=255u8).collect();
    for name in ["data.bin", "data.txt", "data"] {
        let path = cx.file(name, bytes.clone()).await?;
        let content = cx.sandbox.read(&path, LineRange::new(0, 1)).await?.content;
        check_eq!((name, content), (name, ReadContent::Binary(bytes.clone())));
    }
    let text = cx.file("late.txt", [vec![b'x'; 9000], vec![b'\n', 0xff, b'\n']].concat()).await?;
    check_eq!(cx.text(&text, LineRange::new(1, 1)).await?, "\u{fffd}");
    Ok(())
}

pub(super) async fn binary_of_100_kib(cx: &Context<'_>) -> CaseResult {
    let bytes = pseudo_random(100 * 1024);
    for name in ["image.png", "blob"] {
        let path = cx.file(name, bytes.clone()).await?;
        let content = cx.sandbox.read(&path, LineRange::default()).await?.content;
        check!(content == ReadContent::Binary(bytes.clone()), "{name} came back changed");
    }
    Ok(())
}

pub(super) async fn binary_too_large(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("image.png", pseudo_random(1 << 20)).await?;
    let result = cx.sandbox.read(&path, LineRange::default()).await;
    let Err(error) = &result else { return reason(result).map(drop) };
    check_eq!(
        error.to_string(),
        format!("File '{path}': Binary file exceeds maximum preview size of 512000 bytes")
    );
    let largest = pseudo_random(MAX_BINARY_BYTES as usize);
    let path = cx.file("image.png", largest.clone()).await?;
    let content = cx.sandbox.read(&path, LineRange::default()).await?.content;
    check!(content == ReadContent::Binary(largest), "the largest allowed came back changed");
    Ok(())
}

pub(super) async fn not_allowed(cx: &Context<'_>) -> CaseResult {
    cx.sh("echo secret > f; chmod 000 f; mkdir closed; echo secret > closed/f; chmod 000 closed").await?;
    for name in ["f", "closed/f", "closed/missing"] {
        let result = cx.sandbox.read(&cx.path(name), LineRange::default()).await;
        check_eq!((name, reason(result)?), (name, FailureReason::PermissionDenied));
    }
    Ok(())
}

pub(super) async fn through_a_link(cx: &Context<'_>) -> CaseResult {
    cx.sh("mkdir d; echo target > d/f; ln -s d/f link; ln -s d dirlink; ln -s nowhere dangling").await?;
    check_eq!(cx.text(&cx.path("link"), LineRange::default()).await?, "target");
    check_eq!(cx.text(&cx.path("dirlink/f"), LineRange::default()).await?, "target");
    check_eq!(cx.text(&cx.path("dirlink/../d/f"), LineRange::default()).await?, "target");
    let dangling = cx.sandbox.read(&cx.path("dangling"), LineRange::default()).await;
    check_eq!(reason(dangling)?, FailureReason::FileNotFound);
    Ok(())
}

pub(super) async fn relative_path(cx: &Context<'_>) -> CaseResult {
    for path in ["", "f", "./f", "../f"] {
        let result = cx.sandbox.read(path, LineRange::default()).await;
        check_eq!((path, reason(result)?), (path, FailureReason::InvalidPath));
    }
    Ok(())
}

pub(super) async fn injection(cx: &Context<'_>) -> CaseResult {
    let target = cx.path("injected");
    for path in injections(&target) {
        let result = cx.sandbox.read(&path, LineRange::default()).await;
        check_eq!(reason(result)?, FailureReason::FileNotFound);
        check!(!cx.run(&format!("[ -e {} ]", quote(&target))).await?.success(), "{path:?} was run");
    }
    Ok(())
}

async fn page(cx: &Context<'_>, path: &str, range: LineRange) -> CaseResult<Page> {
    match cx.sandbox.read(path, range).await?.content {
        ReadContent::Text(page) => Ok(page),
        other => Err(Failure::differs(path, &other, &"text")),
    }
}

async fn rows(cx: &Context<'_>, count: usize) -> CaseResult<String> {
    cx.file("rows.txt", expected_rows(1..=count) + "\n").await
}

fn expected_rows(range: std::ops::RangeInclusive<usize>) -> String {
    range.map(|row| format!("Row_{row}_content")).collect::<Vec<_>>().join("\n")
}
