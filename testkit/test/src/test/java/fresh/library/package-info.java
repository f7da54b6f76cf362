// SPDX-License-Identifier: Apache-2.0

/// A library for tests of simulations that load classes anew.
@NullMarked
package fresh.library;

import org.jspecify.annotations.NullMarked;
