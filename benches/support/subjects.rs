//! What tasks are called where the cost of their ids is measured.

/// The subject of the n-th task.
pub(crate) type Subject = fn(usize) -> String;

pub(crate) const DISTINCT: Subject = |n| format!("Implement step number {n} of the plan");
pub(crate) const EQUAL: Subject = |_| "The same task again".to_owned();
pub(crate) const NON_LATIN: Subject = |n| {
    let digits: Vec<char> = "零一二三四五六七八九".chars().collect();
    let number = n.to_string();
    let number = number
        .bytes()
        .map(|digit| digits[usize::from(digit - b'0')]);
    format!("完成计划的步骤{}", number.collect::<String>())
};
