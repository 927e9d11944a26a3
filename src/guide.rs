//! How to put the crate to use, in four chapters. They have no items, only text and programs that are run as tests.
//!
//! - [`hand_it_to_a_model`]: describe the tools, carry out calls, answer them, and end the loop at the finish gate.
//! - [`several_agents`]: which calls race, who owns what, and what a model is told.
//! - [`your_own_store`]: keep a list where you keep everything else.
//! - [`what_to_show`]: what a model is shown of its list beside the replies, when, and in which role.

pub mod hand_it_to_a_model;
pub mod several_agents;
pub mod what_to_show;
pub mod your_own_store;
