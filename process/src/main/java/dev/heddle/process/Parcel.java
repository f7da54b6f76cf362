// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Several messages in one: sent as one, one event for whoever gets it, one place in its mailbox.
///
/// @param topic what they are about; empty for nothing in particular
/// @param messages in their order
/// @since 0.1
public record Parcel(String topic, List<@Nullable Object> messages) {
  /// Copies the list.
  ///
  /// @throws NullPointerException when there is no list, or no topic
  public Parcel {
    Objects.requireNonNull(topic, "topic");
    messages = Collections.unmodifiableList(new ArrayList<>(messages));
  }

  /// Messages about a topic.
  public static Parcel of(String topic, @Nullable Object... messages) {
    return new Parcel(topic, java.util.Arrays.asList(messages));
  }
}
