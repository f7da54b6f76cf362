// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.TaggedCommand;
import java.util.List;

/// What the runtime does with the output of a step, and processes cannot: [StepOutput] is public,
/// these of its methods are not. The package of [StepOutput] implements it.
public interface StepOutputAccess {
  /// Ends the step: later requests throw.
  void seal(StepOutput out);

  /// The number of commands.
  int commandCount(StepOutput out);

  /// One of the commands, counted from 0; without the list that [StepOutput#commands] creates.
  TaggedCommand commandAt(StepOutput out, int index);

  /// The events that the replacing process of an upgrade gets first: the list itself.
  List<ProcessEvent> unreceived(StepOutput out);
}
