//! What a hostile command tries, as lines of a shell, and the places it tries that with.
//!
//! A line finds in its environment `f`, a file of somebody's home, `d`, a folder around it, `it`, one of both, `c`, what stands
//! in the file and nowhere else, `n`, a number of its own, `home`, `victim` and `runner`, processes of the same person, and
//! where somebody listens: `port`, `port6`, `datagrams`, `named`, `unnamed`; `shared` is memory that programs share.

use crate::chance::Chance;

/// What a try is about.
pub const KINDS: [&str; 10] =
    ["read", "write", "mode", "time", "attribute", "link", "mount", "signal", "trace", "socket"];

/// What a line only looks at; it succeeds by right where that may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// What stands in the file.
    Within,
    /// The names in the folder.
    Names,
    /// It does something else.
    No,
}

use Looks::{Names, No, Within};

/// Kind, what it looks at, and the line.
pub type Tried = (&'static str, Looks, &'static str);

/// What is tried with places of the home. `inside` is a namespace in which it may mount.
pub const WITH_PLACES: &[Tried] = &[
    ("read", Within, r#"cat "$f" | grep -q "$c""#),
    ("read", Names, r#"ls -A "$d" | grep -q ."#),
    ("read", Within, r#"dd if="$f" bs=1 count=99 2>/dev/null | grep -q "$c""#),
    ("read", Within, r#"cp "$f" "taken-$n" && grep -q "$c" "taken-$n""#),
    ("read", Within, r#"grep -rq "$c" "$d""#),
    ("read", Within, r#"exec 3<"$f" && read line <&3 && [ "$line" = "$c" ]"#),
    ("read", Within, r#"perl -e 'open(F, "<", $ENV{f}) && <F> eq "$ENV{c}\n" or exit 1'"#),
    ("read", Within, r#"tar -cf "taken-$n" -C "$d" . && grep -q "$c" "taken-$n""#),
    ("read", Names, r#"find "$d"/ -mindepth 1 | grep -q ."#),
    ("read", Within, r#"[ "$(stat -c %s "$f")" -gt 3 ]"#),
    ("read", Names, r#"perl -e 'opendir(D, $ENV{d}) && grep !/^\.\.?$/, readdir D or exit 1'"#),
    ("write", No, r#"echo x >> "$f""#),
    ("write", No, r#"echo x > "$d/new-$n""#),
    ("write", No, r#": > "$f""#),
    ("write", No, r#"dd if=/dev/zero of="$f" bs=1 count=1 conv=notrunc,nocreat"#),
    ("write", No, r#"mv "$f" "taken-$n""#),
    ("write", No, r#"mv "$d" "taken-$n""#),
    ("write", No, r#"mv "$f" "$f.old""#),
    ("write", No, r#"rm "$f""#),
    ("write", No, r#"rm -r "$d""#),
    ("write", No, r#"mkdir "$d/made-$n""#),
    ("write", No, r#"mkfifo "$d/pipe-$n""#),
    ("write", No, r#"cp -p /bin/true "$d/program-$n""#),
    ("write", No, r#"echo x > "own-$n" && mv "own-$n" "$f""#),
    ("write", No, r#"[ -f "$f" ] && sed -i s/a/b/ "$f""#),
    ("write", No, r#"perl -e 'truncate($ENV{f}, 1) or exit 1'"#),
    ("write", No, r#"perl -e 'open(F, "+<", $ENV{f}) && syswrite(F, "x") or exit 1'"#),
    ("mode", No, r#"chmod 777 "$it""#),
    ("mode", No, r#"chmod u-w,g+s "$d""#),
    ("mode", No, r#"chmod 4755 "$f""#),
    ("mode", No, r#"chgrp "$(id -g)" "$it""#),
    ("mode", No, r#"perl -e 'chmod(0666, $ENV{it}) or exit 1'"#),
    ("mode", No, r#"perl -e 'open(F, "<", $ENV{f}) && chmod(0666, *F) or exit 1'"#),
    ("mode", No, r#"chmod 666 /proc/self/fd/3 3<"$f""#),
    ("time", No, r#"touch "$f" && [ -s "$f" ]"#),
    ("time", No, r#"touch -d @0 "$it""#),
    ("time", No, r#"[ -s "$f" ] && touch -a "$f""#),
    ("time", No, r#"[ -s "$f" ] && touch -r /bin/true "$f""#),
    ("time", No, r#"perl -e 'utime(0, 0, $ENV{it}) or exit 1'"#),
    ("time", No, r#"perl -e 'open(F, "<", $ENV{f}) && utime(undef, undef, *F) or exit 1'"#),
    ("attribute", No, r#"chattr +d "$it""#),
    (
        "attribute",
        No,
        r#"perl -e 'my ($f, $n, $v) = ($ENV{it}, "user.probe", "x"); exit(syscall(188, $f, $n, $v, 1, 0) != 0)'"#,
    ),
    (
        "attribute",
        No,
        r#"perl -e 'open(F, "<", $ENV{f}) or exit 1; my ($n, $v) = ("user.probe", "x"); exit(syscall(190, fileno(F), $n, $v, 1, 0) != 0)'"#,
    ),
    (
        "attribute",
        No,
        r#"perl -e 'my ($f, $n) = ($ENV{f}, "user.kept"); exit(syscall(197, $f, $n) != 0)'"#,
    ),
    (
        "attribute",
        Within,
        r#"perl -e 'my ($f, $n, $v) = ($ENV{f}, "user.kept", " " x 9); exit(syscall(191, $f, $n, $v, 9) < 1)'"#,
    ),
    ("link", No, r#"ln "$f" "hard-$n""#),
    ("link", No, r#"cp -l "$f" "hard-$n""#),
    ("link", Within, r#"ln -s "$f" "soft-$n" && grep -q "$c" "soft-$n""#),
    ("link", Names, r#"ln -s "$d" "soft-$n" && ls -A "soft-$n/" | grep -q ."#),
    ("link", No, r#"ln -s "$d" "soft-$n" && echo x > "soft-$n/new""#),
    ("link", No, r#"echo x > "own-$n" && ln "own-$n" "$d/hard-$n""#),
    ("link", No, r#"ln -s /etc/passwd "$d/soft-$n""#),
    (
        "link",
        No,
        r#"perl -e 'open(F, "<", $ENV{f}) or exit 1; my ($a, $b) = ("/proc/self/fd/" . fileno(F), "hard-$ENV{n}"); exit(syscall(265, -100, $a, -100, $b, 0x400) != 0)'"#,
    ),
    (
        "link",
        No,
        r#"echo x > "own-$n" && perl -e 'my ($a, $b) = ("own-$ENV{n}", $ENV{f}); exit(syscall(316, -100, $a, -100, $b, 2) != 0)'"#,
    ),
    (
        "mount",
        Names,
        r#"mkdir "at-$n" && inside mount --bind "$d" "at-$n" -- ls -A "at-$n" | grep -q ."#,
    ),
    (
        "mount",
        Within,
        r#"mkdir "at-$n" && inside mount --rbind "$home" "at-$n" -- grep -r "$c" "at-$n""#,
    ),
    ("mount", No, r#"inside mount -o remount,rw,bind "$d" -- touch "$d/new-$n""#),
    ("mount", No, r#"inside mount -o remount,rw,bind / -- touch "$d/new-$n""#),
    ("mount", Within, r#"inside umount -l "$f" -- cat "$f" | grep -q "$c""#),
    ("mount", Within, r#"inside umount -l "$d" -- cat "$f" | grep -q "$c""#),
    (
        "mount",
        Within,
        r#"inside true -- perl -e 'my ($d, $f) = ($ENV{d}, $ENV{f}); $f =~ s:.*/::; my $t = syscall(428, -100, $d, 0x8001); exit($t < 0 || syscall(257, $t, $f, 0) < 0)'"#,
    ),
    ("trace", No, r#"cat "/proc/$victim/root/$real" | grep -q "$c""#),
    ("trace", No, r#"cat "/proc/$victim/cwd/$beneath" | grep -q "$c""#),
    ("trace", No, r#"unshare -Ur chroot "/proc/$victim/root" cat "$real" | grep -q "$c""#),
];

/// What is tried with processes, and with what listens.
pub const WITH_OTHERS: &[Tried] = &[
    ("signal", No, r#"kill -0 "$victim""#),
    ("signal", No, r#"kill -0 "$runner""#),
    ("signal", No, r#"kill -STOP "$victim""#),
    ("signal", No, r#"kill -CONT "$victim""#),
    ("signal", No, r#"kill -TERM "$victim""#),
    ("signal", No, r#"kill -9 "$victim""#),
    ("signal", No, r#"kill -9 -- "-$victim""#),
    ("signal", No, r#"renice -n 19 -p "$victim""#),
    ("signal", No, r#"ionice -c 3 -p "$victim""#),
    ("signal", No, r#"chrt -b -p 0 "$victim""#),
    ("signal", No, r#"taskset -p 1 "$victim""#),
    ("signal", No, r#"prlimit --pid "$victim" --nofile=10:10"#),
    ("signal", No, r#"echo 500 > "/proc/$victim/oom_score_adj""#),
    (
        "signal",
        No,
        r#"perl -e 'my $p = syscall(434, $ENV{victim} + 0, 0); exit($p < 0 || syscall(424, $p, 0, 0, 0) != 0)'"#,
    ),
    ("signal", No, r#"perl -e 'my $p = $ENV{victim} + 0; exit(syscall(234, $p, $p, 0) != 0)'"#),
    ("trace", No, r#"tr '\0' '\n' < "/proc/$victim/environ" | grep -q canary"#),
    ("trace", No, r#"tr '\0' '\n' < "/proc/$runner/environ" | grep -q HOME"#),
    ("trace", No, r#"[ -n "$(cat "/proc/$victim/cmdline" | tr '\0' ' ')" ]"#),
    ("trace", No, r#"grep -q stack "/proc/$victim/maps""#),
    ("trace", No, r#"exec 3< "/proc/$victim/mem""#),
    ("trace", No, r#"exec 3<> "/proc/$victim/mem""#),
    ("trace", No, r#"ls "/proc/$victim/cwd/" | grep -q ."#),
    ("trace", No, r#"ls "/proc/$victim/root/" | grep -q ."#),
    ("trace", No, r#"readlink "/proc/$victim/exe""#),
    ("trace", No, r#"[ "$(ls "/proc/$victim/fd" | wc -l)" -gt 0 ]"#),
    ("trace", No, r#"cat "/proc/$victim/io""#),
    ("trace", No, r#"ps -o pid= -p "$victim" | grep -q ."#),
    ("trace", No, r#"perl -e 'exit(syscall(101, 16, $ENV{victim} + 0, 0, 0) != 0)'"#),
    ("trace", No, r#"perl -e 'exit(syscall(101, 0x4206, $ENV{victim} + 0, 0, 0) != 0)'"#),
    (
        "trace",
        No,
        r#"perl -e 'my $p = syscall(434, $ENV{victim} + 0, 0); exit($p < 0 || syscall(438, $p, 0, 0) < 0)'"#,
    ),
    ("socket", No, r#"perl -MSocket -e "$tcp" "$port""#),
    (
        "socket",
        No,
        r#"perl -MSocket -e 'socket(S, AF_INET6, SOCK_STREAM, 0) && connect(S, pack_sockaddr_in6($ENV{port6}, inet_pton(AF_INET6, "::1"))) or exit 1'"#,
    ),
    ("socket", No, r#"bash -c 'exec 3<> "/dev/tcp/127.0.0.1/$port"'"#),
    (
        "socket",
        No,
        r#"perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0) && connect(S, pack_sockaddr_in($ENV{datagrams}, INADDR_LOOPBACK)) && send(S, "x", 0) or exit 1; vec(my $r, fileno(S), 1) = 1; exit(select($r, undef, undef, 1) < 1 || !defined recv(S, my $x, 9, 0))'"#,
    ),
    (
        "socket",
        No,
        r#"perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($ENV{named})) or exit 1'"#,
    ),
    (
        "socket",
        No,
        r#"ln -s "$named" "way-$n" && perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un("way-$ENV{n}")) or exit 1'"#,
    ),
    (
        "socket",
        No,
        r#"perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un("\0$ENV{unnamed}")) or exit 1'"#,
    ),
    ("socket", No, r#"grep -q canary "$shared""#),
    ("socket", No, r#"echo x >> "$shared" && [ "$(wc -l < "$shared")" -gt 1 ]"#),
    ("socket", No, r#"perl -e 'exit(!defined shmget($ENV{segment}, 0, 0))'"#),
    ("socket", No, r#"perl -e 'exit(syscall(250, 0, -3, 0) < 0)'"#),
    ("socket", No, r#"perl -MSocket -e 'socket(S, 40, SOCK_STREAM, 0) or exit 1'"#),
];

/// What nobody but root does outside either: it is tried, and no control shows that there was something to refuse.
pub const BESIDE: &[&str] = &[
    "kill -9 1 && ! kill -0 $$",
    "echo x > /siltstone-probe",
    "echo x > \"$home/probe\"",
    "umount /usr || umount -l /proc",
    "mount --bind /tmp /usr",
    "mount -o remount,rw,bind /usr",
    "hostname probe",
    "inside mount -o remount,rw,bind /usr -- touch /usr/siltstone-probe",
    "ls /run/user/* /run/dbus/system_bus_socket",
    "cat /etc/shadow | grep -q .",
    "echo 1 > /proc/sys/kernel/core_uses_pid",
    "touch /usr/bin/env",
    "mknod device b 8 0",
    "chown 0 probe.sh",
    "perl -e 'exit(syscall(161, \"/\") != 0)'",
    "perl -MSocket -e 'socket(S, AF_INET, SOCK_RAW, 1) or exit 1'",
];

/// Beneath the home: what a program reads by itself, its toolchain's.
const OF_TOOLS: [&str; 5] = [
    ".gitconfig",
    ".cargo/config.toml",
    ".npm/RANDOM/RANDOM.json",
    ".rustup/settings.toml",
    "go/pkg/RANDOM",
];

/// What is closed within that.
const CLOSED_IN_TOOLS: [&str; 5] = [
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".config/git/credentials",
    ".gem/credentials",
    ".gradle/gradle.properties",
];

/// Where keys lie, and what people said and typed.
const KEYS: [&str; 12] = [
    ".ssh/id_ed25519",
    ".ssh/RANDOM",
    ".aws/credentials",
    ".gnupg/private-keys-v1.d/RANDOM.key",
    ".netrc",
    ".bash_history",
    ".mozilla/firefox/RANDOM/logins.json",
    ".local/share/keyrings/RANDOM.keyring",
    ".claude/RANDOM.json",
    ".password-store/RANDOM.gpg",
    ".local/share/siltstone/siltstone.db",
    ".local/share/siltstone/RANDOM",
];

/// What nobody has a list of.
const ORDINARY: [&str; 8] = [
    "RANDOM.md",
    ".RANDOM/session",
    "Documents/RANDOM RANDOM.pdf",
    ".local/share/RANDOM/log",
    ".cache/RANDOM/RANDOM",
    "사진/RANDOM 사진.jpg",
    "it's/RANDOM\"$RANDOM",
    ".RANDOM",
];

/// In a folder that the person may have named: of it some are keys all the same.
const OF_SETTINGS: [(&str, bool); 4] = [
    (".config/RANDOM/RANDOM.toml", false),
    (".config/RANDOM.conf", false),
    (".config/gh/hosts.yml", true),
    (".config/chromium/RANDOM/Cookies", true),
];

/// A file in somebody's home.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where, beneath the home.
    pub path: String,
    /// What stands in it.
    pub text: String,
    /// Whether a command reads it by right.
    pub is_read: bool,
    /// Whether it sees the names in its folder by right.
    pub is_listed: bool,
}

/// Places for one command; the folders that the person named with it.
pub fn places(chance: &mut Chance) -> (Vec<Place>, Vec<String>) {
    let names_settings = chance.below(2) == 0;
    let mut all: Vec<(&str, bool, bool)> = Vec::new();
    let mut draw = |from: &[&'static str], many: usize, is_read, is_listed| {
        for _ in 0..many {
            all.extend(chance.pick(from).map(|path| (*path, is_read, is_listed)));
        }
    };
    draw(&OF_TOOLS, 2, true, true);
    draw(&CLOSED_IN_TOOLS, 2, false, true);
    draw(&KEYS, 4, false, false);
    draw(&ORDINARY, 4, false, false);
    draw(&["shared/RANDOM", "shared/RANDOM/RANDOM.md"], 1, true, true);
    for (path, is_key) in OF_SETTINGS {
        let is_read = names_settings && !is_key;
        all.push((path, is_read, is_read));
    }
    let mut places: Vec<Place> = Vec::new();
    for (path, is_read, is_listed) in all {
        let mut parts = path.split("RANDOM");
        let mut path = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            path.push_str(&format!("{:x}{part}", chance.below(1 << 30)));
        }
        let text = format!("canary-{:x}", chance.number());
        // `.gitconfig` and its like lie in the home itself, which is listed by nobody.
        let is_listed = is_listed && path.contains('/');
        if places.iter().all(|place| place.path != path) {
            places.push(Place { path, text, is_read, is_listed });
        }
    }
    let named = ["~/shared", "~/.config"].into_iter().take(1 + usize::from(names_settings));
    (places, named.map(str::to_owned).collect())
}

/// One try.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its kind; nothing where no control is possible.
    pub kind: Option<&'static str>,
    /// Whether it succeeds by right.
    pub is_agreed: bool,
    /// Whether it may change something outside of the project, if it succeeds.
    pub is_change: bool,
    /// What it finds in its environment, for a shell.
    pub told: String,
    /// The line.
    pub line: &'static str,
}

/// Draws this many, over all lines, each with a place and a spelling of it.
pub fn draw(chance: &mut Chance, places: &[Place], home: &str, many: usize) -> Vec<Probe> {
    let mut probes = Vec::new();
    let first = chance.index(WITH_PLACES.len());
    for (kind, _, line) in WITH_OTHERS {
        let (is_agreed, is_change) = (false, line.contains("$shared"));
        probes.push(Probe { kind: Some(kind), is_agreed, is_change, told: String::new(), line });
    }
    let all = WITH_PLACES.iter().cycle().skip(first);
    for (kind, looks, line) in all.take(many.saturating_sub(probes.len())) {
        let Some(place) = chance.pick(places) else { break };
        let uses = |name: &str| ["$", "{"].iter().any(|it| line.contains(&format!("{it}{name}")));
        let nested: Vec<&Place> = places.iter().filter(|it| it.path.contains('/')).collect();
        // The home itself is no folder to take away.
        let beside =
            if place.path.contains('/') { Some(place) } else { chance.pick(&nested).copied() };
        let folder =
            beside.and_then(|it| it.path.rsplit_once('/')).map_or("", |(folder, _)| folder);
        let base = spelled(chance, home);
        let (file, folder) = (format!("{base}/{}", place.path), format!("{base}/{folder}"));
        // Both have to be of one place where both are used.
        let is_whole = place.path.contains('/') || !(uses("d") && uses("c"));
        let (file, folder, place) = match beside.filter(|_| !is_whole) {
            Some(other) => (format!("{base}/{}", other.path), folder, other),
            None => (file, folder, place),
        };
        let listed = if uses("d") { beside.unwrap_or(place) } else { place };
        let is_agreed = match looks {
            Within => place.is_read,
            Names => listed.is_listed,
            No => false,
        };
        let it = if chance.below(2) == 0 { &file } else { &folder };
        let mut told = String::new();
        for (name, value) in [
            ("f", &file),
            ("d", &folder),
            ("it", it),
            ("c", &place.text),
            ("beneath", &place.path),
            ("real", &format!("{home}/{}", place.path)),
        ] {
            told.push_str(&format!("{name}={}; ", quoted(value)));
        }
        let is_change = *looks == No && *kind != "trace";
        probes.push(Probe { kind: Some(kind), is_agreed, is_change, told, line });
    }
    for line in BESIDE {
        let (is_agreed, is_change) = (false, true);
        probes.push(Probe { kind: None, is_agreed, is_change, told: String::new(), line });
    }
    probes
}

/// The home as a command in a project of it may call it; `way` is a link that lies in the project.
fn spelled(chance: &mut Chance, home: &str) -> String {
    let ways = [
        home.to_owned(),
        home.to_owned(),
        "..".to_owned(),
        "way".to_owned(),
        "/proc/self/cwd/..".to_owned(),
        format!("/proc/self/root{home}"),
        format!("{home}/project/./../project/.."),
        format!("/usr/..{home}"),
    ];
    chance.pick(&ways).cloned().unwrap_or_default()
}

/// A word of the shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
