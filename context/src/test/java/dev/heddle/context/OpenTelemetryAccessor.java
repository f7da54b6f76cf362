// SPDX-License-Identifier: Apache-2.0
package dev.heddle.context;

import io.micrometer.context.ThreadLocalAccessor;
import io.opentelemetry.context.Context;

// @start region=accessor
/// Lets Micrometer's library read and set OpenTelemetry's current context.
public final class OpenTelemetryAccessor implements ThreadLocalAccessor<Context> {
  @Override
  public Object key() {
    return "opentelemetry";
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // there is one root
  public Context getValue() {
    Context current = Context.current();
    return current == Context.root() ? null : current; // null: there is none
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // the library restores the value itself
  public void setValue(Context value) {
    value.makeCurrent();
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // as above
  public void setValue() {
    Context.root().makeCurrent();
  }
}
// @end
