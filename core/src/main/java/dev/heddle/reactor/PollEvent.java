// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.source.EventHome;
import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.driver.ReactorDriver;
import org.jspecify.annotations.Nullable;

/// Readiness of a descriptor in one direction; fires each time it is awaited and comes true.
public final class PollEvent extends EventSource {
  private final ReactorDriver driver;
  private final Poll operation;
  private final Object owner;

  /// An event for one direction of a descriptor.
  ///
  /// @param owner whose descriptor it is, as dumps show it
  public PollEvent(
      EventHome home,
      ReactorDriver driver,
      Operation.Kind direction,
      Descriptor descriptor,
      Object owner) {
    super(home);
    this.driver = driver;
    this.owner = owner;
    this.operation = new Poll(direction, descriptor);
  }

  @Override
  public boolean isHidden() {
    return false;
  }

  @Override
  protected void arm() {
    driver.submit(operation);
  }

  @Override
  protected void disarm() {
    if (operation.isSubmitted()) {
      driver.cancel(operation);
    }
  }

  /// Ends the waits of all who wait now, with an error.
  public void abort(Throwable error) {
    fire(null, error);
  }

  @Override
  public String info() {
    return (operation.kind() == Operation.Kind.POLL_INPUT ? "input from " : "output to ") + owner;
  }

  private final class Poll extends Operation {
    Poll(Kind direction, Descriptor descriptor) {
      super(direction, descriptor);
    }

    @Override
    protected void completed(@Nullable Throwable error) {
      fire(null, error);
    }
  }
}
