// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessCounts;

/// Reports the readiness of JDK channels: by the driver's own selector, or by one on another
/// thread.
///
/// **Thread** the loop's.
public interface ChannelPoller {
  ReadinessCounts counts();

  /// A descriptor was opened.
  void opened(JdkDescriptor descriptor);

  /// A listener was armed for the descriptor.
  void armed(JdkDescriptor descriptor, Direction direction);

  /// A descriptor was closed, with its channel if the descriptor owns it.
  void closed(JdkDescriptor descriptor);
}
