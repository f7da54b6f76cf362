// SPDX-License-Identifier: Apache-2.0

//! The bench's programs on Tokio: rounds, and servers with a task for each connection, on the current-thread runtime,
//! which costs less CPU per request than the one with threads; HTTP by hyper, or by hand.

#![recursion_limit = "256"] // futures that are nested 50 deep

mod bare;
mod coroutines;
mod idle;
mod rounds;
mod tails;

use std::convert::Infallible;
use std::io::{self, Read};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn main() -> io::Result<()> {
    let serve = match std::env::args().nth(1).as_deref() {
        Some("tcp-echo") => echo,
        Some("http") => hello as fn(TcpStream),
        Some("http-bare") => bare::hello,
        Some("rounds") => {
            println!("Tokio {}", version("tokio"));
            return rounds::answer_orders();
        }
        _ => {
            eprintln!("usage: server rounds|tcp-echo|http|http-bare");
            std::process::exit(2);
        }
    };
    std::thread::spawn(end_with_driver);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!(
            "Tokio {}, hyper {}, current-thread runtime",
            version("tokio"),
            version("hyper")
        );
        println!("at {}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            serve(stream);
        }
    })
}

/// Of a crate, as it was locked.
fn version(name: &str) -> &'static str {
    let entry = format!("\nname = \"{name}\"\nversion = \"");
    let lock = include_str!("../Cargo.lock");
    let begin = lock.find(&entry).map_or(0, |at| at + entry.len());
    lock[begin..].split('"').next().unwrap_or_default()
}

fn end_with_driver() {
    let _ = io::copy(&mut io::stdin().by_ref(), &mut io::sink());
    std::process::exit(0);
}

fn echo(mut stream: TcpStream) {
    tokio::spawn(async move {
        let mut buffer = vec![0; 4096];
        loop {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(n) => {
                    if stream.write_all(&buffer[..n]).await.is_err() {
                        return;
                    }
                }
            }
        }
    });
}

/// hyper sets Date and Content-Length by itself.
fn hello(stream: TcpStream) {
    tokio::spawn(async move {
        // a connection that breaks is its client's business
        let _ = http1::Builder::new()
            .pipeline_flush(true)
            .serve_connection(TokioIo::new(stream), service_fn(answer))
            .await;
    });
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.method() != Method::GET || request.uri().path() != "/" {
        let mut refusal = Response::new(Full::default());
        *refusal.status_mut() = StatusCode::NOT_FOUND;
        return Ok(refusal);
    }
    let mut response = Response::new(Full::new(Bytes::from_static(b"Hello, World!")));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Ok(response)
}
