//! Settings that an image's layers give its sandboxes: variables and the working directory. Nothing is built.

use sandshell_modal::control::{Image, ImageGetOrCreateRequest};

use super::grpc::{Called, RESOURCE_EXHAUSTED, Status, UNIMPLEMENTED};

/// The default search path for programs.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The build commands of Modal's own base image on top of Debian and Python, as all builder versions write them.
/// They are accepted without effect, because every image means the provider's default sandbox.
const BASE: &[&str] = &[
    "RUN apt-get update",
    "RUN apt-get install -y gcc gfortran build-essential",
    "RUN pip install --upgrade pip wheel uv",
    "RUN echo 'debconf debconf/frontend select Noninteractive' | debconf-set-selections",
];

/// How many lines an image's layers have together, and how many bytes its settings. A variable can name others, and
/// itself, so a few lines could make a value of any length.
const MOST_LINES: usize = 10_000;
const LARGEST: usize = 1 << 20;

/// The longest path of a working directory, as in sandboxes.
const LONGEST_PATH: usize = 4096;

/// What a variable counts beside its bytes, as it takes memory even if it is empty.
const ENTRY: usize = 64;

/// The settings of an image's sandboxes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Of two with the same name, the later one wins.
    pub(super) env: Vec<(String, String)>,
    pub(super) workdir: Option<String>,
}

/// The settings of an image on top of another.
pub(super) fn settings(request: &ImageGetOrCreateRequest, base: Option<&Settings>) -> Called<Settings> {
    let image = request.image.clone().unwrap_or_default();
    let mut settings = base.cloned().unwrap_or_default();
    let mut lines = 0;
    for command in &image.dockerfile_commands {
        for line in logical_lines(command) {
            lines += 1;
            if lines > MOST_LINES {
                let why = format!("the layers of an image have more than {MOST_LINES} lines");
                return Err(Status(RESOURCE_EXHAUSTED, why));
            }
            if !(image.base_images.is_empty() && BASE.contains(&line.as_str())) {
                settings.apply(&line)?;
            }
        }
    }
    Ok(settings)
}

/// The images that an image is based on.
pub(super) fn bases(image: &Image) -> impl Iterator<Item = &str> {
    image.base_images.iter().map(|base| base.image_id.as_str())
}

/// Lines without comments; lines that end in a backslash are joined with the next.
fn logical_lines(command: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in command.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (text, more) = line.strip_suffix('\\').map_or((line, false), |text| (text, true));
        match lines.last_mut() {
            Some(last) if goes_on => last.push_str(text),
            _ => lines.push(text.to_owned()),
        }
        goes_on = more;
    }
    lines
}

impl Settings {
    /// About how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        let env: usize = self.env.iter().map(|(name, value)| name.len() + value.len() + ENTRY).sum();
        env + self.workdir.as_ref().map_or(0, String::len)
    }

    fn apply(&mut self, line: &str) -> Called<()> {
        let (instruction, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match instruction.to_ascii_uppercase().as_str() {
            "FROM" | "LABEL" | "MAINTAINER" => Ok(()),
            "ENV" => self.variables(rest),
            "WORKDIR" => {
                let path = self.words(rest)?.concat();
                let path = match (path.starts_with('/'), &self.workdir) {
                    (true, _) => path,
                    (false, Some(base)) => format!("{}/{path}", base.trim_end_matches('/')),
                    (false, None) => format!("/{path}"),
                };
                if path.len() > LONGEST_PATH {
                    let why = format!("the working directory of an image has more than {LONGEST_PATH} bytes");
                    return Err(Status(RESOURCE_EXHAUSTED, why));
                }
                self.workdir = Some(path);
                Ok(())
            }
            // These have no effect: a sandbox runs no command unless it is given one, and lives as long as the
            // request says.
            "CMD" if rest == "[]" || rest.starts_with(r#"["sleep","#) => Ok(()),
            "ENTRYPOINT" if rest == "[]" => Ok(()),
            _ => Err(Status(
                UNIMPLEMENTED,
                format!(
                    "building images: not emulated by sandshell, which has only ENV and WORKDIR of a layer: {line}"
                ),
            )),
        }
    }

    fn variables(&mut self, rest: &str) -> Called<()> {
        let words = self.words(rest)?;
        if !words.first().is_some_and(|word| word.contains('=')) {
            // The old form: a name and the rest of the line.
            let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let value = self.words(value.trim())?.join(" ");
            return self.set(name.to_owned(), value);
        }
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                return Err(Status(UNIMPLEMENTED, format!("ENV {rest}: {word:?} is not NAME=VALUE")));
            };
            self.set(name.to_owned(), value.to_owned())?;
        }
        Ok(())
    }

    fn set(&mut self, name: String, value: String) -> Called<()> {
        self.env.retain(|(other, _)| *other != name);
        self.env.push((name, value));
        if self.bytes() > LARGEST { Err(too_large()) } else { Ok(()) }
    }

    /// Splits text into words as in a Dockerfile, with quotes, backslashes, and the variables known so far.
    fn words(&self, text: &str) -> Called<Vec<String>> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
        let mut room = LARGEST.checked_sub(text.len()).ok_or_else(too_large)?;
        let mut rest = text.chars().peekable();
        while let Some(next) = rest.next() {
            match (next, quote) {
                ('\'' | '"', None) => {
                    quote = Some(next);
                    word.get_or_insert_default();
                }
                (_, Some(open)) if next == open => quote = None,
                ('\\', None | Some('"')) => {
                    if let Some(escaped) = rest.next() {
                        word.get_or_insert_default().push(escaped);
                    }
                }
                ('$', None | Some('"')) => {
                    let braced = rest.next_if_eq(&'{').is_some();
                    let mut name = String::new();
                    while let Some(part) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
                        name.push(part);
                    }
                    if braced {
                        rest.next_if_eq(&'}');
                    }
                    let value = self.value(&name);
                    room = room.checked_sub(value.len()).ok_or_else(too_large)?;
                    word.get_or_insert_default().push_str(value);
                }
                (space, None) if space.is_whitespace() => words.extend(word.take()),
                (other, _) => word.get_or_insert_default().push(other),
            }
        }
        words.extend(word);
        Ok(words)
    }

    fn value(&self, name: &str) -> &str {
        let own = self.env.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        own.unwrap_or(if name == "PATH" { PATH } else { "" })
    }
}

fn too_large() -> Status {
    Status(RESOURCE_EXHAUSTED, format!("the variables of an image have more than {LARGEST} bytes"))
}

#[cfg(test)]
mod tests {
    use sandshell_modal::control::BaseImage;

    use super::*;

    fn of(commands: &[&str], on_base: bool) -> Called<Settings> {
        let base_images = if on_base {
            vec![BaseImage { image_id: "im-1".into(), docker_tag: "base".into() }]
        } else {
            Vec::new()
        };
        let dockerfile_commands = commands.iter().map(|command| (*command).to_owned()).collect();
        let image = Some(Image { base_images, dockerfile_commands });
        settings(&ImageGetOrCreateRequest { image, ..ImageGetOrCreateRequest::default() }, None)
    }

    #[test]
    fn variables_and_the_working_directory() {
        let found = of(
            &[
                "FROM base",
                "ENV A='it'\"'\"'s $x' B=\"b c\" C=c\\ d",
                "ENV OLD form of it",
                "ENV PATH=/x:$PATH D=${A}",
                "# A comment",
                "WORKDIR /a",
                "WORKDIR 'b c'",
            ],
            true,
        );
        let found = found.expect("settings");
        let value = |name: &str| found.value(name).to_owned();
        assert_eq!((value("A"), value("B"), value("C")), ("it's $x".into(), "b c".into(), "c d".into()));
        assert_eq!((value("OLD"), value("D")), ("form of it".into(), "it's $x".into()));
        assert_eq!(value("PATH"), format!("/x:{PATH}"));
        assert_eq!(found.workdir.as_deref(), Some("/a/b c"));
    }

    #[test]
    fn what_would_have_to_be_built_is_refused() {
        for command in
            ["RUN true", "COPY a /a", "ENTRYPOINT [\"x\"]", "USER x", "SHELL [\"sh\"]", "RUN apt-get update"]
        {
            let Status(code, why) = of(&["FROM base", command], true).expect_err(command);
            assert_eq!(code, UNIMPLEMENTED);
            assert!(why.contains(command), "{why}");
        }
        let own = [&["FROM python:3.12-slim-bookworm"], BASE, &["CMD [\"sleep\", \"172800\"]"]].concat();
        assert_eq!(of(&own, false).expect("Modal's own"), Settings::default());
        assert!(of(&["FROM x", "RUN rm -rf /"], false).is_err());
    }

    #[test]
    fn variables_that_name_themselves_do_not_grow_for_ever() {
        let twice = "ENV A=$A$A$A$A$A$A$A$A$A$A";
        let doubling: Vec<&str> = ["ENV A=0123456789"].into_iter().chain([twice; 12]).collect();
        let Status(code, why) = of(&doubling, true).expect_err("a limit");
        assert_eq!(code, RESOURCE_EXHAUSTED);
        assert!(why.contains("1048576 bytes"), "{why}");
        let within = ["ENV A=0123456789", "ENV B=$A", &format!("ENV C={}", "$A".repeat(200_000))];
        assert!(of(&within, true).is_err());
        let many: Vec<String> = (0..200_000).map(|at| format!("ENV N{at}=")).collect();
        let began = std::time::Instant::now();
        assert!(of(&[many.join("\n").as_str()], true).is_err());
        assert!(began.elapsed().as_secs() < 20);
    }
}
