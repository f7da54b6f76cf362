// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;

/// The Netty classes for one of its I/O handlers.
///
/// @param handler class of the handler
/// @param handle class of the handles that it accepts
public record ChannelTypes(
    Class<? extends IoHandler> handler,
    Class<? extends IoHandle> handle,
    Class<? extends SocketChannel> socket,
    Class<? extends ServerSocketChannel> server,
    Class<? extends DatagramChannel> datagram) {}
