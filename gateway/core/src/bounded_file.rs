//! Reads files of a project's folder up to a maximum size. The maximum protects the memory of the server: projects often come from other
//! people, and a sparse file can be huge without using disk space.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads a file that has at most `max_bytes` bytes.
///
/// # Errors
/// When the file cannot be read or has more than `max_bytes` bytes.
pub fn read(file: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(max_bytes as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > max_bytes {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("it has more than {} MB", max_bytes >> 20)));
    }
    Ok(bytes)
}

/// Reads a UTF-8 text file that has at most `max_bytes` bytes.
///
/// # Errors
/// When [`read`] fails or the content is not UTF-8.
pub fn read_text(file: &Path, max_bytes: usize) -> io::Result<String> {
    String::from_utf8(read(file, max_bytes)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "text").unwrap();
        assert_eq!(read_text(&file, 4).unwrap(), "text");
        assert_eq!(read(&file, 3).unwrap_err().to_string(), "it has more than 0 MB");
        File::create(&file).unwrap().set_len(1 << 42).unwrap();
        assert_eq!(read_text(&file, 1 << 20).unwrap_err().to_string(), "it has more than 1 MB");
    }
}
