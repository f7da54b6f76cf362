// SPDX-License-Identifier: Apache-2.0

// The bench's servers on Node.js: its own net and http, one thread.
'use strict';

const http = require('node:http');
const net = require('node:net');

function echo() {
  return net.createServer({ noDelay: true }, (socket) => {
    socket.on('data', (bytes) => socket.write(bytes));
    socket.on('error', () => socket.destroy());
  });
}

// node:http sets Date by itself, and closes a connection that is silent for five seconds unless told otherwise.
function hello() {
  const greeting = Buffer.from('Hello, World!');
  const server = http.createServer((request, response) => {
    const known = request.url === '/';
    const body = known ? greeting : Buffer.alloc(0);
    response.writeHead(known ? 200 : 404, { 'Content-Type': 'text/plain', 'Content-Length': body.length });
    response.end(body);
  });
  server.keepAliveTimeout = 0;
  return server;
}

const servers = { 'tcp-echo': echo, 'http': hello };
const make = servers[process.argv[2]];
if (!make) {
  console.error(`usage: node server.js ${Object.keys(servers).join('|')}`);
  process.exit(2);
}
process.stdin.resume().on('end', () => process.exit(0));
const server = make();
server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => {
  console.log(`Node.js ${process.version}`);
  console.log(`at 127.0.0.1:${server.address().port}`);
});
