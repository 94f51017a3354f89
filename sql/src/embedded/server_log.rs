//! `server.log`: what PostgreSQL writes, kept across starts and bounded. A server that died has left its reason in it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::Account;

/// Size at which the log is put aside.
const MAX_FILE_BYTES: u64 = 10 << 20;
/// Older logs that are kept beside `server.log`: `server.log.1` is the latest of them.
const MAX_ROTATED_FILES: u32 = 4;
/// How much of its end explains a start that failed.
const MAX_TAIL_BYTES: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct ServerLog {
    path: PathBuf,
    account: Account,
}

impl ServerLog {
    pub(super) fn new(folder: &Path, account: Account) -> Self {
        Self { path: folder.join("server.log"), account }
    }

    /// Opens the log for a server that starts; also where its own lines will begin.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        if self.size() > MAX_FILE_BYTES {
            self.make_room()?;
            fs::rename(&self.path, self.older(1))?;
        }
        // Appended to, also by a server that runs while the file is emptied.
        let file = File::options().append(true).create(true).mode(0o600).open(&self.path)?;
        self.account.own(&self.path).map_err(io::Error::other)?;
        let begins = file.metadata()?.len();
        Ok((file, begins))
    }

    /// Puts aside what a running server has written, once that is much. The server goes on with the file it has open, so this is
    /// copied and the file emptied; lines written between the two are lost.
    pub(super) fn rotate(&self) -> io::Result<()> {
        if self.size() <= MAX_FILE_BYTES {
            return Ok(());
        }
        self.make_room()?;
        let copy = self.older(1);
        fs::copy(&self.path, &copy)?;
        self.account.own(&copy).map_err(io::Error::other)?;
        File::options().write(true).open(&self.path)?.set_len(0)
    }

    /// The end of what was written from a position on.
    pub(super) fn tail(&self, begins: u64) -> String {
        let read = || {
            let mut file = File::open(&self.path)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(begins.max(length.saturating_sub(MAX_TAIL_BYTES))))?;
            let mut text = Vec::new();
            file.take(MAX_TAIL_BYTES).read_to_end(&mut text)?;
            Ok::<_, io::Error>(String::from_utf8_lossy(&text).into_owned())
        };
        read().unwrap_or_default()
    }

    fn size(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    fn older(&self, number: u32) -> PathBuf {
        self.path.with_extension(format!("log.{number}"))
    }

    /// Moves the older logs on by one; the oldest goes.
    fn make_room(&self) -> io::Result<()> {
        for number in (1..MAX_ROTATED_FILES).rev() {
            match fs::rename(self.older(number), self.older(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn keeps_what_it_holds_and_no_more_than_five_files() {
        let folder = std::env::temp_dir().join(format!("cloch-log-{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir(&folder).unwrap();
        let log = ServerLog::new(&folder, Account::Own);
        let (mut first, begins) = log.open().unwrap();
        assert_eq!(begins, 0);
        first.write_all(b"PANIC: the reason\n").unwrap();
        let (mut second, begins) = log.open().unwrap();
        assert_eq!(begins, 18);
        second.write_all(b"FATAL: another\n").unwrap();
        assert_eq!(log.tail(begins), "FATAL: another\n");

        let block = vec![b'x'; 1 << 20];
        for round in 0..8_u8 {
            second.write_all(&[b'0' + round]).unwrap();
            (0..11).for_each(|_| second.write_all(&block).unwrap());
            log.rotate().unwrap();
            assert_eq!(log.size(), 0);
        }
        second.write_all(b"after\n").unwrap();
        assert_eq!(log.tail(0), "after\n");
        let names = fs::read_dir(&folder).unwrap().count();
        assert_eq!(names, 5);
        let newest = fs::read(log.older(1)).unwrap();
        assert_eq!((newest.first(), newest.len()), (Some(&b'7'), (11 << 20) + 1));
        fs::remove_dir_all(folder).unwrap();
    }
}
