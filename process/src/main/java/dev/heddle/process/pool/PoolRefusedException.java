// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.pool;

/// A pool has refused a call.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=poolRefused}
///
/// @since 0.1
public final class PoolRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PoolRefusedException(String why) {
    super(why);
  }
}
