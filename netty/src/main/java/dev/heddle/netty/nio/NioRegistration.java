// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.nio;

import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.reactor.jdk.Interest;
import dev.heddle.reactor.jdk.JdkDescriptor;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/// A JDK channel in the selector of Netty's handler.
final class NioRegistration implements NioIoHandle, Interest {
  private final NioDriver driver;
  private final JdkDescriptor descriptor;
  private final IoRegistration registration;

  NioRegistration(NioDriver driver, JdkDescriptor descriptor, int ops) throws IOException {
    this.driver = driver;
    this.descriptor = descriptor;
    this.registration =
        IoHandlerAdapter.register(
            driver.handler().open(), this, "Netty's selector refused " + descriptor.channel());
    ops(ops);
  }

  @Override
  public SelectableChannel selectableChannel() {
    return descriptor.channel();
  }

  @Override
  public void handle(IoRegistration of, IoEvent event) {
    driver.onReady(descriptor, ((NioIoEvent) event).ops().value());
  }

  @Override
  public int ops() {
    SelectionKey key = registration.attachment(); // changes when Netty has replaced the selector
    return key.interestOps();
  }

  @Override
  public void ops(int ops) {
    var _ = registration.submit(NioIoOps.valueOf(ops));
  }

  @Override
  public void cancel() {
    var _ = registration.cancel();
  }

  /// Called by the handler when the channel was closed, which the next call reports, or when the
  /// driver closes.
  @Override
  public void close() {
    driver.onReady(descriptor, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
  }
}
