/**
 * The sidecar of a sealed sandbox: takes connections on the loopback interface of the network namespace that it holds, and
 * passes the bytes to the Unix socket of the model gateway and back.
 *
 *   node forwarder.cjs <port> <socket>
 *
 * Prints "ready" once it listens. Ends with 0 when its standard input closes or on SIGTERM, with 2 on wrong usage, with 1
 * when the port is taken. Plain Node, no packages: it is mounted into a container that has nothing else.
 */
'use strict';
const net = require('node:net');

/** Connections at the same time: more is no agent at work. */
const MOST = 256;

function usage(problem) {
  process.stderr.write(`${problem}\nusage: node forwarder.cjs <port> <socket>\n`);
  process.exit(2);
}

const [portText = '', socketPath = '', ...rest] = process.argv.slice(2);
const port = Number(portText);
if (!/^\d+$/.test(portText) || port > 65535)
  usage(`<port> is ${JSON.stringify(portText)}, expected a number from 0 to 65535`);
if (socketPath === '') usage('<socket> is missing, expected the path of a Unix socket');
if (rest.length > 0) usage(`unexpected ${JSON.stringify(rest[0])}`);

const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const gateway = net.connect({ path: socketPath, allowHalfOpen: true });
  joined(client, gateway);
  joined(gateway, client);
});

/** Passes on what one side says, to its end; a side that is cut takes the other with it, so that the cut is seen. */
function joined(from, to) {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (!from.readableEnded) to.destroy();
  });
}

server.maxConnections = MOST;

server.on('error', (error) => {
  process.stderr.write(`the forwarder cannot listen on 127.0.0.1:${port}: ${error.message}\n`);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => process.stdout.write(`ready ${server.address().port}\n`));

const end = () => process.exit(0);
process.on('SIGTERM', end);
process.on('SIGINT', end);
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdin.on('close', end);
process.stdin.resume();
