// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.linux.EpollSet;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Watches descriptors that other code has opened. Their set is one descriptor to the driver:
/// watched by edge, and polled at each.
final class RawPoller implements ReadinessListener {
  private final EpollSet descriptors;
  private final UnixDescriptor set;

  private boolean polling;

  RawPoller(DescriptorRegistry registry) throws IOException {
    this.descriptors = new EpollSet(registry.counts(), this::renew);
    this.set = new UnixDescriptor(registry, new FileDescriptor(descriptors.number()));
  }

  Descriptor watch(int number) throws IOException {
    return descriptors.watch(number);
  }

  @Override
  public void onReady(@Nullable Throwable error) {
    polling = true;
    if (error == null) {
      descriptors.poll();
      set.afterCall(UnixDescriptor.IN, false); // what becomes ready from here on makes an edge
    } else {
      descriptors.failed(
          new IOException("the driver does not watch " + set.fd() + ": " + error, error));
    }
    polling = false;
    renew();
  }

  private void renew() {
    if (polling) {
      return;
    }
    if (descriptors.isAwaited()) {
      set.arm(Direction.READ, this);
    } else {
      set.disarm(Direction.READ, this);
    }
  }
}
