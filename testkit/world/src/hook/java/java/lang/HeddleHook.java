// SPDX-License-Identifier: Apache-2.0
package java.lang;

/// What rewritten code calls instead of the JDK.
public final class HeddleHook {
  private HeddleHook() {}
}
