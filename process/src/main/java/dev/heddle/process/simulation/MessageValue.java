// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// A class whose objects are values in messages: a [MessageImage] compares them by `equals` and
/// does not look into them.
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface MessageValue {}
