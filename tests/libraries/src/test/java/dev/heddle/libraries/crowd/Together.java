// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// A test that may run together with all others of its class: a method without a result whose only
/// parameter is its [Crew].
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Together {}
