// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessCounts;

/// Reports the readiness of the JDK's channels: by a selector of the driver's own, or by one on a
/// thread beside the loop.
///
/// **Thread** the loop's.
public interface ChannelPoller {
  /// The driver's.
  ReadinessCounts counts();

  /// A descriptor was opened.
  void opened(JdkDescriptor descriptor);

  /// A listener waits for it.
  void armed(JdkDescriptor descriptor, Direction direction);

  /// A descriptor was closed; its channel too, if it is the descriptor's own.
  void closed(JdkDescriptor descriptor);
}
