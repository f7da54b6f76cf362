// SPDX-License-Identifier: Apache-2.0

//! The server "http-bare", a greeting over HTTP/1.1 without a library: the request line and the end of the head are
//! looked for, the answer is made once a second, and requests that came together are answered with one write.

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const LARGEST_HEAD: usize = 8 << 10;
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\n";
const REFUSAL: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

thread_local! {
    /// With the second that it tells.
    static GREETING: RefCell<(u64, Vec<u8>)> = const { RefCell::new((0, Vec::new())) };
}

pub fn hello(mut stream: TcpStream) {
    tokio::spawn(async move {
        let mut input = vec![0; LARGEST_HEAD];
        let mut filled = 0;
        let mut output = Vec::with_capacity(LARGEST_HEAD);
        let mut open = true;
        while open {
            match stream.read(&mut input[filled..]).await {
                Ok(0) | Err(_) => return, // also when a head is too large
                Ok(n) => filled += n,
            }
            let mut from = 0;
            while open && let Some(length) = head(&input[from..filled]) {
                open = answer(&input[from..from + length], &mut output);
                from += length;
            }
            if stream.write_all(&output).await.is_err() {
                return;
            }
            output.clear();
            input.copy_within(from..filled, 0);
            filled -= from;
        }
    });
}

/// How long the first head is, once its end has come.
fn head(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(end + 4)
}

/// Returns whether the connection stays.
fn answer(head: &[u8], output: &mut Vec<u8>) -> bool {
    if !head.starts_with(REQUEST) {
        output.extend_from_slice(REFUSAL);
        return false;
    }
    let now = SystemTime::now();
    let second = now.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    GREETING.with_borrow_mut(|(made, greeting)| {
        if *made != second {
            *made = second;
            *greeting = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 13\r\ndate: {}\r\n\r\nHello, World!",
                httpdate::fmt_http_date(now)
            )
            .into_bytes();
        }
        output.extend_from_slice(greeting);
    });
    true
}
