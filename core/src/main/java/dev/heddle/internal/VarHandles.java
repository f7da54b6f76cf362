// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;

/// Finds the handles of fields, for `static final` constants.
public final class VarHandles {
  private VarHandles() {}

  /// The handle of a field of the class that has made the lookup.
  public static VarHandle find(Lookup of, String field, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(of, field, VarHandle.class, of.lookupClass(), type);
  }
}
