// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.linux.EpollSet;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Polls descriptors that other code has opened, in an epoll set. The driver registers that set as
/// one descriptor, edge-triggered, and polls the set at each edge.
final class RawPoller implements ReadinessListener {
  private final EpollSet descriptors;
  private final UnixDescriptor set;

  private boolean polling;

  RawPoller(DescriptorRegistry registry) throws IOException {
    this.descriptors = new EpollSet(registry.counts, this::renew);
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
      set.afterCall(UnixDescriptor.IN, false); // readiness from here on makes a new edge
    } else {
      descriptors.failed(
          new IOException("the driver does not poll " + set.fd() + ": " + error, error));
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
