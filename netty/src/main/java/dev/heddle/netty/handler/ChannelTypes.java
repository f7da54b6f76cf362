// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;

/// Netty's classes that go with one of its handlers.
///
/// @param handler the handler itself
/// @param handle what can be registered with it
public record ChannelTypes(
    Class<? extends IoHandler> handler,
    Class<? extends IoHandle> handle,
    Class<? extends SocketChannel> socket,
    Class<? extends ServerSocketChannel> server,
    Class<? extends DatagramChannel> datagram) {}
