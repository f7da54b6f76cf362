// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.raw.RawDescriptors;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Waits for descriptors of somebody else's, whose set is one descriptor to the driver: watched by
/// edge, and looked through at each.
final class RawWaits {
  private final UnixDriver driver;
  private final RawDescriptors descriptors;
  private final UnixDescriptor set;
  private final Operation edge;

  private boolean looking;

  RawWaits(UnixDriver driver) throws IOException {
    this.driver = driver;
    this.descriptors = new RawDescriptors(driver::answer);
    this.set = new UnixDescriptor(driver, new FileDescriptor(descriptors.number()));
    this.edge =
        new Operation(Operation.Kind.POLL_INPUT, set) {
          @Override
          protected void completed(@Nullable Throwable error) {
            told(error);
          }
        };
  }

  Descriptor watch(int number) throws IOException {
    return descriptors.watch(number);
  }

  boolean owns(Operation operation) {
    return descriptors.owns(operation);
  }

  void submit(Operation operation) {
    IOException refused = descriptors.ask(operation);
    if (refused != null) {
      driver.answer(operation, refused);
    } else {
      goOn();
    }
  }

  void cancel(Operation operation) {
    descriptors.withdraw(operation);
    if (!descriptors.isAwaited() && edge.isSubmitted()) {
      driver.cancel(edge);
    }
  }

  private void told(@Nullable Throwable error) {
    looking = true;
    if (error == null) {
      descriptors.look();
      set.used(UnixDescriptor.IN, false); // what becomes ready from here on makes an edge
    } else {
      descriptors.failed(
          new IOException(driver.name() + " does not watch " + set.fd() + ": " + error, error));
    }
    looking = false;
    goOn();
  }

  private void goOn() {
    if (!looking && descriptors.isAwaited() && !edge.isSubmitted()) {
      driver.submit(edge);
    }
  }
}
